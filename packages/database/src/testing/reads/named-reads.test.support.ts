import { parseRepositoryName } from "@sealhouse/oci-distribution";
import type { RepositoryName } from "@sealhouse/oci-distribution";
import type { Database } from "../../database.ts";
import { WRITTEN_AT } from "../writes/write.test.support.ts";

/** A lookup by a name that a client sends. */
export type NamedRead = {
  readonly name: string;
  /** The rows of the writes have something of this name. */
  readonly known: string;
  /** Whether the lookup finds names in any letter case. */
  readonly ignoresCase?: boolean;
  /** Whether a `*` at the end of a name represents any text. */
  readonly isPattern?: boolean;
  /** The answer for a name without rows. */
  readonly absent: unknown;
  readonly read: (database: Database, text: string) => Promise<unknown>;
};

const FIRST = { from: 0, size: 10 };
const PAGE = { limit: 10 };
const LATER = new Date(WRITTEN_AT.getTime() + 1_000);

/** A name without the checks of the protocol. */
const repository = (text: string) => text as RepositoryName;

export const NUGET_READS: readonly NamedRead[] = [
  {
    name: "versions of a package",
    known: "w.unlisted",
    absent: [],
    read: ({ nuget }, id) => nuget.lookup.versions(id),
  },
  {
    name: "summaries of a package",
    known: "w.unlisted",
    absent: [],
    read: ({ nuget }, id) => nuget.lookup.summaries(id),
  },
  {
    name: "numbers of a package",
    known: "w.unlisted",
    absent: [],
    read: ({ nuget }, id) => nuget.lookup.summaries(id, { onlyNumbers: true }),
  },
  {
    name: "a version of a package",
    known: "w.unlisted",
    absent: undefined,
    read: ({ nuget }, id) => nuget.lookup.find(id, "1.0.0"),
  },
  {
    name: "a package with a version",
    known: "1.0.0",
    absent: undefined,
    read: ({ nuget }, version) => nuget.lookup.find("w.unlisted", version),
  },
  {
    name: "some versions of a package",
    known: "1.0.0",
    absent: [],
    read: ({ nuget }, version) => nuget.lookup.versions("w.unlisted", [version]),
  },
  {
    name: "tombstones of a package",
    known: "w.reused",
    ignoresCase: true,
    absent: [],
    read: ({ nuget }, id) => nuget.lifecycle.tombstones(id),
  },
  {
    name: "versions of a package as of a time",
    known: "w.unlisted",
    absent: [],
    read: ({ nuget }, id) => nuget.past.versions(id, LATER),
  },
  {
    name: "a version of a package as of a time",
    known: "w.unlisted",
    absent: undefined,
    read: ({ nuget }, id) => nuget.past.version(id, "1.0.0", LATER),
  },
  {
    name: "publishers of a package",
    known: "w.unlisted",
    absent: { downloads: 0, publishers: [] },
    read: ({ nuget }, id) => nuget.totals.of(id),
  },
  {
    name: "the provenance of a version",
    known: "w.unlisted",
    absent: undefined,
    read: ({ nuget }, id) => nuget.provenance.find(id, "1.0.0"),
  },
  {
    name: "present ids",
    known: "w.unlisted",
    absent: new Set(),
    read: (database, id) => database.presentNames("nuget", [id]),
  },
  {
    name: "whether the catalog shows an id",
    known: "w.unlisted",
    absent: true,
    read: async ({ nuget }, id) =>
      (await nuget.catalog.shows(id)) && (await nuget.lookup.versions(id)).length === 0,
  },
];

export const NPM_READS: readonly NamedRead[] = [
  {
    name: "a package",
    known: "w-tagged",
    absent: undefined,
    read: ({ npm }, name) => npm.lookup.find(name),
  },
  {
    name: "whether a package exists",
    known: "w-tagged",
    absent: false,
    read: ({ npm }, name) => npm.lookup.has(name),
  },
  {
    name: "a tarball of a package",
    known: "w-tagged",
    absent: undefined,
    read: ({ npm }, name) => npm.lookup.tarball(name, "1.0.0"),
  },
  {
    name: "a tarball of a version",
    known: "1.0.0",
    absent: undefined,
    read: ({ npm }, version) => npm.lookup.tarball("w-tagged", version),
  },
  {
    name: "a package as of a time",
    known: "w-tagged",
    absent: undefined,
    read: ({ npm }, name) => npm.past.find(name, LATER),
  },
  {
    name: "a summary",
    known: "w-tagged",
    absent: undefined,
    read: ({ npm }, name) => npm.history.summary(name),
  },
  {
    name: "the newest versions",
    known: "w-tagged",
    absent: [],
    read: ({ npm }, name) => npm.history.newest(name, FIRST),
  },
  {
    name: "details of a version",
    known: "w-tagged",
    absent: undefined,
    read: ({ npm }, name) => npm.history.version(name, "1.0.0"),
  },
  {
    name: "trusted build jobs",
    known: "w-distrusting",
    absent: [],
    read: ({ npm }, name) => npm.trustedPublishers.list(name),
  },
  {
    name: "staged versions of a package",
    known: "w-rejected",
    absent: [],
    read: ({ npm }, name) => npm.staging.list(name),
  },
  {
    name: "the bytes of manifests",
    known: "w-tagged",
    absent: 0,
    read: ({ npm }, name) => npm.lifecycle.manifestBytes(name),
  },
  {
    name: "present names",
    known: "w-tagged",
    absent: new Set(),
    read: (database, name) => database.presentNames("npm", [name]),
  },
];

export const OCI_READS: readonly NamedRead[] = [
  {
    name: "tags of a repository",
    known: "w/moved",
    absent: undefined,
    read: ({ oci }, name) => oci.manifests.tags(repository(name), PAGE),
  },
  {
    name: "a manifest in a repository",
    known: "w/moved",
    absent: undefined,
    read: ({ oci }, name) => oci.manifests.find(repository(name), "1.0"),
  },
  {
    name: "a manifest by a tag",
    known: "1.0",
    absent: undefined,
    read: ({ oci }, tag) => oci.manifests.find(parseRepositoryName("w/moved"), tag),
  },
  {
    name: "tags for retention",
    known: "w/moved",
    absent: [],
    read: ({ oci }, name) => oci.tags.tagRecords(repository(name), PAGE),
  },
  {
    name: "tags of a repository as of a time",
    known: "w/moved",
    absent: [],
    read: ({ oci }, name) => oci.past.tags(repository(name), LATER, PAGE),
  },
  {
    name: "a digest as of a time",
    known: "1.0",
    absent: undefined,
    read: ({ oci }, tag) => oci.past.digest(parseRepositoryName("w/moved"), tag, LATER),
  },
  {
    name: "lines of repositories",
    known: "w/moved",
    absent: [],
    read: ({ oci }, name) => oci.browsing.repositories([repository(name)]),
  },
  {
    name: "a shown manifest",
    known: "1.0",
    absent: undefined,
    read: ({ oci }, tag) => oci.browsing.manifest(parseRepositoryName("w/moved"), tag),
  },
];

export const PEOPLE_READS: readonly NamedRead[] = [
  {
    name: "a user",
    known: "w-role",
    ignoresCase: true,
    absent: undefined,
    read: ({ people }, handle) => people.find(handle),
  },
  {
    name: "a team",
    known: "w-renamed",
    ignoresCase: true,
    absent: undefined,
    read: ({ teams }, handle) => teams.find(handle),
  },
  {
    name: "a service account",
    known: "w-account-blocked",
    ignoresCase: true,
    absent: undefined,
    read: ({ serviceAccounts }, name) => serviceAccounts.find(name),
  },
  {
    name: "an owner",
    known: "w-role",
    ignoresCase: true,
    absent: undefined,
    read: ({ ownership }, handle) => ownership.ownerships.find(handle),
  },
  {
    name: "the owner of a policy",
    known: "w-role",
    absent: undefined,
    read: ({ policies }, handle) => policies.ownerNamed(handle),
  },
  {
    name: "owners of a name",
    known: "w-taken",
    absent: [],
    read: ({ ownership }, name) => ownership.ownerships.list({ protocol: "npm", name }),
  },
  {
    name: "offers of a name",
    known: "w-accepted",
    absent: [],
    read: ({ ownership }, name) => ownership.transfers.listOf({ protocol: "npm", name }),
  },
  {
    name: "publishers of a name",
    known: "w-taken",
    absent: [],
    read: ({ ownership }, name) => ownership.publishers({ protocol: "npm", name }),
  },
  {
    name: "tokens by their prefix",
    known: "shp_w-prefix",
    absent: [],
    read: ({ tokens }, prefix) => tokens.findByPrefix(prefix),
  },
];

export const OTHER_READS: readonly NamedRead[] = [
  {
    name: "the source of a name",
    known: "w-mirrored",
    absent: undefined,
    read: ({ upstream }, name) => upstream.origins.find("npm", name),
  },
  {
    name: "sources of names",
    known: "w-mirrored",
    absent: new Map(),
    read: ({ upstream }, name) => upstream.origins.sourcesOf("npm", [name]),
  },
  {
    name: "a release",
    known: "w-resumed",
    absent: undefined,
    read: ({ promotion }, id) => promotion.releases.find(id),
  },
  {
    name: "releases of a group",
    known: "w-resumed",
    ignoresCase: true,
    absent: [],
    read: ({ promotion }, group) => promotion.releases.list({ group, limit: 10 }),
  },
  {
    name: "events about a subject",
    known: "npm/w-tagged@1.0.0",
    isPattern: true,
    absent: [],
    read: async ({ events }, subject) =>
      (await events.audit.read({ subject, order: "newest-first", limit: 10 })).records,
  },
  {
    name: "events of an actor",
    known: "operator",
    absent: [],
    read: async ({ events }, actor) =>
      (await events.audit.read({ actor, order: "newest-first", limit: 10 })).records,
  },
  {
    name: "facts of a name",
    known: "w-tagged",
    ignoresCase: true,
    absent: [],
    read: ({ history }, name) => history.of(name, { protocols: ["npm"], limit: 10 }),
  },
];
