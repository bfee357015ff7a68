import type { RegistrySources } from "@sealhouse/console";
import type { UpkeepParts } from "@sealhouse/feed";
import type { Surface } from "@sealhouse/http-server";
import type { Job } from "@sealhouse/jobs";
import type { Protocol } from "@sealhouse/request-types";
import type { Shortcuts } from "../http/stored-reads.ts";
import type { AddNumbers } from "../operations/metrics.ts";
import type { ProtocolApps } from "../routes.ts";
import type { Config } from "../settings/config.ts";
import type { Core } from "./core.ts";

/** Everything that one feature adds to the registry. Disposal, where it has one, follows that of
 * the jobs and consumers. */
export type Feature = Partial<AsyncDisposable> & {
  readonly protocol?: Protocol;
  /** Endpoints that the health reports list. */
  readonly surfaces?: readonly Surface[];
  /** They answer requests; `routes.ts` has their paths. */
  readonly apps?: ProtocolApps;
  /** They answer reads before the router does. */
  readonly shortcuts?: Partial<Shortcuts>;
  readonly pages?: (page: PageParts) => Partial<FeaturePages>;
  readonly jobs?: readonly (Job | undefined)[];
  /** Consumers of events; disposed of by the delivery. */
  readonly consumers?: NonNullable<UpkeepParts["consumers"]>;
  /** Adds series to `/metrics`. */
  readonly numbers?: AddNumbers;
  /** Failures by name, for `/health`: a sentence while one lasts, otherwise undefined. */
  readonly problems?: () => Readonly<Record<string, string | undefined>>;
  /** Work that may happen after the host listens. */
  readonly prepare?: () => Promise<void>;
};

/** The pages that the registry has only with a feature. */
export type FeaturePages = Pick<
  RegistrySources,
  "npmPages" | "imagePages" | "imageKeys" | "signsImages"
>;

/** Data sources that all pages share. Their code is loaded by the first request of a page. */
export type PageParts = Pick<RegistrySources, "site" | "rules"> & {
  readonly forms: NonNullable<RegistrySources["signIn"]>["forms"];
};

/** Opens a feature for the registry. */
export type FeatureModule = {
  /** The only reader of the feature's switch. Absent: always on. */
  readonly isOn?: (config: Config) => boolean;
  readonly open: (core: Core) => Feature | Promise<Feature>;
};

/** Additions of all features, in their order. */
export type Added = {
  readonly protocols: readonly Protocol[];
  readonly surfaces: readonly Surface[];
  readonly apps: ProtocolApps;
  readonly shortcuts: Partial<Shortcuts>;
  readonly pages: (page: PageParts) => Partial<FeaturePages>;
  readonly jobs: readonly Job[];
  readonly consumers: NonNullable<UpkeepParts["consumers"]>;
  readonly numbers: readonly AddNumbers[];
  readonly problems: () => Readonly<Record<string, string | undefined>>;
  readonly prepare: () => Promise<void>;
};

/** Puts together what the features add. */
export function collect(features: readonly Feature[]): Added {
  return {
    protocols: features.flatMap(({ protocol }) => protocol ?? []),
    surfaces: features.flatMap(({ surfaces = [] }) => surfaces),
    apps: merged(features.map(({ apps }) => apps)),
    shortcuts: merged(features.map(({ shortcuts }) => shortcuts)),
    pages: (page) => merged(features.map(({ pages }) => pages?.(page))),
    jobs: features.flatMap(({ jobs = [] }) => jobs.filter((job) => job !== undefined)),
    consumers: features.flatMap(({ consumers = [] }) => consumers),
    numbers: features.flatMap(({ numbers }) => numbers ?? []),
    problems: () => merged(features.map(({ problems }) => problems?.())),
    async prepare() {
      await Promise.all(features.map(async ({ prepare }) => prepare?.()));
    },
  };
}

function merged<T extends object>(parts: readonly (T | undefined)[]): Partial<T> {
  return Object.assign({}, ...parts);
}
