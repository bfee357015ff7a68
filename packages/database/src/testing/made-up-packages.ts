export type MadeUpPackage = {
  readonly id: string;
  readonly owners: readonly string[];
  readonly publishedAt: Date;
  /** Ascending. */
  readonly versions: readonly MadeUpVersion[];
};

export type MadeUpVersion = {
  readonly version: string;
  readonly downloads: number;
  /** Bytes. */
  readonly size: number;
  readonly details: string;
  readonly nuspec: string;
  readonly targetFrameworks: readonly string[];
  readonly dependencyIds: readonly string[];
};

const VENDORS = listed(
  `Contoso Fabrikam Northwind AdventureWorks Tailspin Litware Proseware Wingtip Woodgrove Lucerne
  Acme Globex Initech Umbrella Hooli Stark Wayne Cyberdyne Tyrell Vandelay`,
);
const WORDS = listed(
  `Logging Json Http Client Server Data Storage Azure Core Common Model View Test Mock Cache
  Queue Event Bus Grpc Auth Token Graph Parse Text Xml Yaml Csv Image Video Audio Map Geo Date
  Time Abstractions Extensions Hosting Configuration Options Diagnostics Tracing Metrics
  Security Crypto Identity Billing Orders Shipping Inventory Catalog Search Index Reports Mail
  Sms Push Payments Pdf Excel Sql Postgres Redis Kafka Rabbit Mongo Docker Cloud Web Mobile
  Desktop Forms Grid Charts`,
);
const PROSE = listed(
  `a library that helps teams to write and read structured values with fast memory friendly
  parsers for services running on every platform it brings sensible defaults clear errors and
  good tests and works together with dependency injection configuration logging and hosting of
  modern applications`,
);
const FRAMEWORKS = ["net8.0", "net6.0", "netstandard2.0", "net472", "net8.0-windows7.0", "net10.0"];
const OWNERS = ["alice", "bob", "carol", "build-server", "release-pipeline", "platform-team"];

const HISTORY_VERSIONS = 500;
const START = Date.parse("2020-01-01T00:00:00.000Z");
const HOUR_MS = 60 * 60_000;

/**
 * Generates packages like those of a company: few id prefixes, few packages with most downloads,
 * few with long histories.
 */
export function* catalogPackages(sizes: {
  readonly ids: number;
  readonly versions: number;
}): Generator<MadeUpPackage, void, undefined> {
  const random = createRandom(20261122);
  let left = sizes.versions;
  for (let index = 0; index < sizes.ids; index++) {
    const others = sizes.ids - index - 1;
    const wantedCount =
      index === 0 ? HISTORY_VERSIONS : versionsWanted(random, left / (others + 1));
    const count = others === 0 ? left : Math.max(1, Math.min(wantedCount, left - others));
    left -= count;
    yield madeUp(random, { index, count, ids: sizes.ids });
  }
}

/** The id of the package with this number; the first has the long history. */
export function madeUpId(index: number): string {
  if (index === 0) return "Contoso.History";
  // A third of all ids begin with the first.
  const share = ((index * 37) % 1000) / 1000;
  const vendor = pick(VENDORS, Math.floor(share ** 3 * VENDORS.length));
  const area = pick(WORDS, index * 7);
  const detail = pick(WORDS, Math.floor(index / WORDS.length) + index * 3);
  return `${vendor}.${area}.${detail}${index % 3 === 0 ? pick(WORDS, index * 11) : ""}${index}`;
}

/** Generates distinct searches for these packages, each with two words of names or descriptions. */
export function* madeUpQuestions(): Generator<string, void, undefined> {
  const called = [...WORDS, ...VENDORS];
  const allWords = [...new Set([...WORDS, ...PROSE])];
  for (let apart = 0; apart < allWords.length; apart++) {
    for (const [index, word] of called.entries()) {
      const other = pick(allWords, index + apart);
      yield other === word ? word : `${word} ${other}`;
    }
  }
}

type Random = () => number;

/** Most have less than their share, some have many times as much. */
function versionsWanted(random: Random, share: number): number {
  return Math.max(1, Math.round(-Math.log(1 - random() * 0.999) * share));
}

function madeUp(
  random: Random,
  { index, count, ids }: { readonly index: number; readonly count: number; readonly ids: number },
): MadeUpPackage {
  const id = madeUpId(index);
  const endsInPrerelease = count > 1 && random() < 0.15;
  const popularity = Math.round(3_000_000 / (index + 1)) + Math.floor(random() * 50);
  const about = describe(random, id);
  const versions = Array.from({ length: count }, (_, position) => {
    const isLast = position === count - 1;
    const label = isLast && endsInPrerelease ? pick(["-beta", "-rc.1", "-preview2"], index) : "";
    const numbers = [Math.floor(position / 40) + 1, Math.floor((position % 40) / 8), position % 8];
    const version = `${numbers.join(".")}${label}`;
    return madeUpVersion(random, {
      id,
      version,
      about,
      ids,
      downloads: Math.floor(popularity / count),
    });
  });
  const owners = OWNERS.filter(
    (_, position) => position === index % OWNERS.length || random() < 0.1,
  );
  return { id, owners, publishedAt: new Date(START + index * HOUR_MS), versions };
}

function describe(random: Random, id: string) {
  const length = 20 + Math.floor(random() * 60);
  const words = Array.from({ length }, (_, index) =>
    random() < 0.15 ? pick(WORDS, Math.floor(random() * 1e6)) : pick(PROSE, index * 5 + id.length),
  );
  return {
    authors: `${id.split(".")[0]} Ltd.`,
    title: random() < 0.5 ? id.replaceAll(".", " ") : "",
    description: `${words.join(" ")}.`,
    tags: Array.from({ length: Math.floor(random() * 6) }, () =>
      pick(WORDS, Math.floor(random() * 1e6)).toLowerCase(),
    ),
  };
}

function madeUpVersion(
  random: Random,
  made: {
    readonly id: string;
    readonly version: string;
    readonly about: ReturnType<typeof describe>;
    readonly ids: number;
    readonly downloads: number;
  },
): MadeUpVersion {
  const { id, version, about, ids, downloads } = made;
  const targetFrameworks = FRAMEWORKS.filter(() => random() < 0.35);
  const dependencies = Array.from({ length: Math.floor(random() * 5) }, () => ({
    // Squared twice: a few packages are what most depend on.
    id: madeUpId(Math.floor(random() ** 4 * ids)),
    range: "[1.0.0, )",
  }));
  const dependencyGroups = targetFrameworks.map((targetFramework) => ({
    targetFramework,
    dependencies,
  }));
  const details = JSON.stringify({
    id,
    version,
    ...about,
    projectUrl: `https://example.com/${id}`,
    license: { type: "expression", text: "MIT" },
    requireLicenseAcceptance: false,
    developmentDependency: false,
    packageTypes: [],
    dependencyGroups,
  });
  const nuspec = `<package><metadata><id>${id}</id>${about.description}</metadata></package>`;
  const dependencyIds = [...new Set(dependencies.map((dependency) => dependency.id.toLowerCase()))];
  const size = 20_000 + Math.floor(random() * 200_000);
  return { version, downloads, size, details, nuspec, targetFrameworks, dependencyIds };
}

function listed(text: string): readonly string[] {
  return text.split(/\s+/);
}

function pick<T>(all: readonly T[], index: number): T {
  const choice = all[index % all.length];
  if (choice === undefined) throw new RangeError("nothing to choose from");
  return choice;
}

/** Between 0 and 1, the same sequence for the same seed. */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
