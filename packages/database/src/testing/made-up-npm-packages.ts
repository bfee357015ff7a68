import { randomOf } from "./random.ts";

export type MadeUpNpmPackage = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly maintainers: readonly string[];
  /** The message of a deprecated version. */
  readonly deprecated?: string;
  readonly dependencyNames: readonly string[];
  readonly isPrivate: boolean;
};

const SYLLABLES =
  `re act ex press lo dash type script en gine plu gin es lint con fig ba bel pa ck web ser ver
  cli ent da ta ble for mat ter nal mo del que ry sto ro ute han dle pro mise asy nc fi le sys
  tem par se str ing num ber ar ray`.split(/\s+/);
const WORDS_MAX = 6_000;
/** The most frequent word is in one of some thirty names. */
const EVENNESS = 10;
const MAINTAINERS = ["alice", "bob", "carol", "build-server", "release-pipeline", "platform-team"];

/**
 * Generates npm packages whose words are as unevenly distributed as those of a language. One in a
 * hundred is private, deprecated, or unstable. The same count gives the same packages.
 */
export function* npmPackages(count: number): Generator<MadeUpNpmPackage, void, undefined> {
  const random = randomOf(20261129);
  const word = createWords(random);
  const seen = new Set<string>();
  const names: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, word).join("-");
    const plain = random() < 0.3 ? `@${word()}/${parts}` : parts;
    const name = seen.has(plain) ? `${plain}-${index.toString(36)}` : plain;
    seen.add(name);
    const dependencyNames = Array.from(
      { length: Math.floor(random() * 4) },
      () => names[Math.floor(random() ** 3 * names.length)] ?? "base",
    );
    names.push(name);
    yield {
      name,
      version: index % 100 === 7 ? "0.1.0" : "1.0.0",
      description: Array.from({ length: 4 + Math.floor(random() * 10) }, word).join(" "),
      keywords: Array.from({ length: Math.floor(random() * 6) }, word),
      maintainers: [MAINTAINERS[index % MAINTAINERS.length] ?? "alice"],
      ...(index % 100 === 13 && { deprecated: "Use another package." }),
      dependencyNames: [...new Set(dependencyNames)],
      isPrivate: index % 100 === 42,
    };
  }
}

/** The words of `npmPackages`, the most frequent first. */
export function madeUpNpmWords(): readonly string[] {
  return vocabulary(randomOf(20261129));
}

function createWords(random: () => number): () => string {
  const words = vocabulary(random);
  const ends: number[] = [];
  let sum = 0;
  for (const index of words.keys()) ends.push((sum += 1 / (index + EVENNESS)));
  return () => {
    const place = random() * sum;
    let [from, to] = [0, ends.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((ends[middle] ?? 0) > place) to = middle;
      else from = middle + 1;
    }
    return words[from] ?? "word";
  };
}

function vocabulary(random: () => number): readonly string[] {
  const words = new Set<string>();
  while (words.size < WORDS_MAX) {
    const length = 1 + Math.floor(random() * 3.2);
    const parts = Array.from(
      { length },
      () => SYLLABLES[Math.floor(random() * SYLLABLES.length)] ?? "",
    );
    words.add(parts.join(""));
  }
  return [...words];
}
