import { parseCompletionQuery, parseSearchQuery } from "@sealhouse/nuget-protocol";
import type { Database } from "../../database.ts";
import { WRITTEN_AT } from "../writes/write.test.support.ts";

/** A question without a name. */
export type ListRead = {
  readonly name: string;
  /** The answer of an empty database. */
  readonly empty: unknown;
  readonly read: (database: Database) => Promise<unknown>;
};

const NEVER = new AbortController().signal;
const EVERY = new URLSearchParams({ q: "" });

export const LIST_READS: readonly ListRead[] = [
  {
    name: "search of NuGet packages",
    empty: { totalHits: 0, hits: [] },
    read: ({ nuget }) => nuget.search.search(parseSearchQuery(EVERY)),
  },
  {
    name: "completion of NuGet ids",
    empty: { totalHits: 0, ids: [] },
    read: ({ nuget }) => nuget.search.idsStartingWith(parseCompletionQuery(EVERY)),
  },
  {
    name: "packages for retention",
    empty: [],
    read: ({ nuget }) => nuget.retention.page("", 10),
  },
  {
    name: "the head of the catalog",
    empty: undefined,
    read: ({ nuget }) => nuget.catalog.head(),
  },
  {
    name: "items of the catalog",
    empty: [],
    read: ({ nuget }) => nuget.catalog.items(0, 10),
  },
  {
    name: "sources of NuGet advisories",
    empty: [],
    read: ({ nuget }) => nuget.advisories.sources(),
  },
  {
    name: "the state of NuGet advisories",
    empty: undefined,
    read: ({ nuget }) => nuget.advisories.state(),
  },
  {
    name: "certificates of a feed",
    empty: [],
    read: ({ nuget }) => nuget.certificates.all(),
  },
  {
    name: "versions by certificate",
    empty: new Map(),
    read: ({ nuget }) => nuget.seals.counts(),
  },
  {
    name: "search of npm packages",
    empty: { total: 0, hits: [] },
    read: ({ npm }) => npm.search.search({ text: "", from: 0, size: 10 }),
  },
  {
    name: "npm signing keys",
    empty: [],
    read: ({ npm }) => npm.signingKeys.list(),
  },
  {
    name: "announced npm keys",
    empty: [],
    read: ({ npm }) => npm.signingKeys.announced(),
  },
  {
    name: "unsigned npm versions",
    empty: [],
    read: ({ npm }) => npm.unsigned.between({ after: 0, upTo: 1_000_000 }),
  },
  {
    name: "staged npm versions",
    empty: [],
    read: ({ npm }) => npm.staging.list(),
  },
  {
    name: "repositories",
    empty: [],
    read: ({ oci }) => oci.manifests.repositories({ limit: 10 }),
  },
  {
    name: "manifests",
    empty: [],
    read: ({ oci }) => oci.records.manifests({ after: 0, limit: 10 }),
  },
  {
    name: "holds",
    empty: [],
    read: ({ oci }) => oci.holds.list(10),
  },
  {
    name: "reports of the collector",
    empty: [],
    read: ({ oci }) => oci.garbage.reports.reports(10),
  },
  { name: "users", empty: [], read: ({ people }) => people.list() },
  { name: "a page of users", empty: [], read: ({ people }) => people.page({ limit: 10 }) },
  { name: "teams", empty: [], read: ({ teams }) => teams.list() },
  { name: "service accounts", empty: [], read: ({ serviceAccounts }) => serviceAccounts.list() },
  { name: "tokens", empty: [], read: ({ tokens }) => tokens.list() },
  {
    name: "a page of tokens",
    empty: [],
    read: ({ tokens }) => tokens.page({ now: WRITTEN_AT, limit: 10 }),
  },
  { name: "publish policies", empty: [], read: ({ policies }) => policies.list() },
  { name: "reservations", empty: [], read: ({ ownership }) => ownership.reservations.list() },
  { name: "offers", empty: [], read: ({ ownership }) => ownership.transfers.list() },
  {
    name: "names without owners",
    empty: [],
    read: ({ ownership }) => Array.fromAsync(ownership.unowned.list()),
  },
  { name: "hidden names", empty: [], read: ({ visibilities }) => visibilities.list("npm") },
  {
    name: "whether a name is hidden",
    empty: false,
    read: ({ visibilities }) => visibilities.any(),
  },
  { name: "certificates", empty: [], read: ({ certificates }) => certificates.list() },
  {
    name: "parked events",
    empty: { waiting: 0, dead: 0 },
    read: ({ events }) => events.parked.count(),
  },
  { name: "webhooks", empty: [], read: ({ events }) => events.webhooks.list() },
  {
    name: "deliveries",
    empty: { waiting: 0, dead: 0 },
    read: ({ events }) => events.deliveries.count(WRITTEN_AT),
  },
  {
    name: "mails",
    empty: { waiting: 0, failed: 0 },
    read: ({ events }) => events.mails.count(WRITTEN_AT),
  },
  { name: "bytes of npm", empty: 0, read: ({ blobs }) => blobs.usage("npm") },
  { name: "damaged blobs", empty: 0, read: ({ blobs }) => blobs.damaged("oci") },
  { name: "the newest objects", empty: [], read: ({ blobs }) => blobs.newestObjects(10) },
  { name: "package sources", empty: [], read: ({ upstream }) => upstream.sources.list() },
  { name: "states of sources", empty: new Map(), read: ({ upstream }) => upstream.states.all() },
  { name: "rules about versions", empty: [], read: ({ upstream }) => upstream.rules.list() },
  { name: "kept documents", empty: 0, read: ({ upstream }) => upstream.documents.count() },
  {
    name: "names that are published here",
    empty: [],
    read: ({ upstream }) => upstream.origins.ownNames("npm", { after: "", limit: 10 }),
  },
  {
    name: "names that are mirrored",
    empty: { names: 0, versions: 0 },
    read: ({ upstream }) => upstream.mirroredFrom({ protocol: "npm", source: "npmjs" }),
  },
  { name: "targets", empty: [], read: ({ promotion }) => promotion.targets.list() },
  { name: "groups", empty: [], read: ({ promotion }) => promotion.groups.list() },
  { name: "syndications", empty: [], read: ({ promotion }) => promotion.syndications.list() },
  { name: "releases", empty: [], read: ({ promotion }) => promotion.releases.list({ limit: 10 }) },
  {
    name: "releases that are due",
    empty: [],
    read: ({ promotion }) => promotion.releases.due(WRITTEN_AT),
  },
  { name: "the latest packages", empty: [], read: (database) => database.latestPackages(10) },
  {
    name: "search entries to fill",
    empty: 0,
    read: ({ npm }) => npm.fillSearch(0, NEVER),
  },
];
