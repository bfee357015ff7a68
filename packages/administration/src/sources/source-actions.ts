import { parseSourceTexts, describeSource } from "@sealhouse/upstream-sources";
import type {
  ListedSource,
  PackageSource,
  SourceChange,
  SourceTextProblem,
} from "@sealhouse/upstream-sources";
import { z } from "zod";
import { defineAction } from "../action.ts";
import type { Asked } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, invalidField, invalidFields, RefusedActionError } from "../refusal.ts";
import type { RegistrySources } from "./parts.ts";
import { unreadable } from "./unreadable.ts";
import { FIELD_OF_PART, NAME, PROBE, SOURCE, SOURCE_FIELDS } from "./source-schemas.ts";

const ADDED = z.strictObject({
  source: SOURCE,
  warning: z.string().optional(),
  unused: z.array(z.string()).describe("Sources of the settings that no longer count."),
  isMirrorEnabled: z.boolean(),
});
/** A source that was added, and what the change means for those of the settings. */
export type AddedSource = z.output<typeof ADDED>;

const addSource = defineAction({
  id: "sources.add",
  summary: "add a source; sources in the database replace those of the settings",
  scope: "sources:write",
  method: "POST",
  path: "/sources",
  command: "source add <name>",
  form: { page: "/administration/package-sources/new" },
  input: z.strictObject(SOURCE_FIELDS),
  output: ADDED,
  refusals: ["exists"],
  lasting: "change-sources",
  // They reach into the network of the registry, or read a file of its machine.
  needsAdmin: ({ allowPrivateNetwork, caPath }) =>
    allowPrivateNetwork === true || caPath !== undefined,
  async run({ input, parts, caller, now }) {
    const sources = await parts.sources();
    const { administration, configured, fallbacks, isMirrorEnabled } = sources;
    const source = sourceIn(input, fallbacks);
    const isFirst = (await administration.list()).every((one) => one.source.from !== "database");
    const isReplacing = input.replace ?? false;
    const change = await administration.put(source, { isReplacing, caller });
    if (change.status === "exists") {
      throw new RefusedActionError(
        "exists",
        `There is a source "${source.name}" already. To replace it, add --replace.`,
      );
    }
    const { warning } = requireChanged(change, source.name, configured);
    return {
      source: shown(describeSource(source, { now, isReplaced: false })),
      ...(warning !== undefined && { warning }),
      unused: isFirst ? configured.map(({ name }) => name) : [],
      isMirrorEnabled,
    };
  },
});

function sourceIn(
  input: Asked<z.output<typeof addSource.input>>["input"],
  fallbacks: RegistrySources["fallbacks"],
): PackageSource {
  const { username, password, token, apiKey, headers, allow = [], deny = [], ...texts } = input;
  const { credentialOrigins = [], tokenRealms = [], trustedCertificates = [] } = input;
  const { allowPrivateNetwork = false, publicThroughHere = false } = input;
  const url = URL.parse(input.url);
  if (url && (url.username !== "" || url.password !== "")) {
    throw invalidField(
      "url",
      "must not have credentials: pass them with fields such as password, not in the address.",
    );
  }
  const outcome = parseSourceTexts(
    {
      ...texts,
      isEnabled: input.disabled !== true,
      credentials: { username, password, token, apiKey, headers: headersIn(headers) },
      lists: { allow, deny, credentialOrigins, tokenRealms, trustedCertificates },
      flags: { allowPrivateNetwork, publicThroughHere },
    },
    fallbacks,
  );
  if (outcome.status === "refused") throw refusedParts(outcome.problems);
  return outcome.source;
}

function headersIn(lines: readonly string[] | undefined) {
  if (lines === undefined) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...rest] = line.split(":");
      return [name.trim(), rest.join(":").trim()] as const;
    }),
  );
}

function refusedParts(problems: readonly SourceTextProblem[]): RefusedActionError {
  return invalidFields(problems.map(({ part, words }) => ({ field: FIELD_OF_PART[part], words })));
}

/** @throws RefusedActionError when the database has no such source, or the change was refused */
function requireChanged(
  change: SourceChange,
  name: string,
  configured: readonly PackageSource[],
): { readonly warning?: string } {
  if (change.status === "changed") return change;
  if (change.status === "refused") throw refusedParts(change.problems);
  throw notStored(name, configured);
}

function notStored(name: string, configured: readonly PackageSource[]): RefusedActionError {
  const isOfSettings = configured.some((one) => one.name.toLowerCase() === name.toLowerCase());
  return absent(
    isOfSettings
      ? `"${name}" is a source of the settings: change it there.`
      : `There is no source "${name}": sealhouse source list`,
  );
}

const LISTED = SOURCE.extend({ isUnreadable: z.literal(true).optional() }).meta({
  id: "ListedSource",
  title: "A package source in the list",
});
/** A source of a list; `isUnreadable`: the key ring cannot decrypt its credentials. */
export type ShownListedSource = z.output<typeof LISTED>;

const listSources = defineAction({
  id: "sources.list",
  summary: "list sources with their state, without secrets",
  scope: "sources:write",
  method: "GET",
  path: "/sources",
  command: "source list",
  form: { page: "/administration/package-sources" },
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(LISTED).extend({ isMirrorEnabled: z.boolean() }),
  refusals: [],
  async run({ input, parts }) {
    const { administration, isMirrorEnabled } = await parts.sources();
    const listed = await administration.list();
    // Those of the database come first.
    const keyed = listed.map((one, at) => ({ item: shownListed(one), key: placeOf(one, at) }));
    const page = pageOf(keyed, input, ({ key }) => key);
    return { ...page, items: page.items.map(({ item }) => item), isMirrorEnabled };
  },
});

function placeOf({ source: { from, name } }: ListedSource, at: number): string {
  return from === "database" ? `1 ${name.toLowerCase()}` : `2 ${String(at).padStart(6, "0")}`;
}

function shownListed({ description, isUnreadable }: ListedSource): ShownListedSource {
  return { ...shown(description), ...(isUnreadable && { isUnreadable: true }) };
}

function shown(description: ListedSource["description"]): z.output<typeof SOURCE> {
  const { allow, deny, recentErrors, ...rest } = description;
  return { ...rest, allow: [...allow], deny: [...deny], recentErrors: [...recentErrors] };
}

const showSource = defineAction({
  id: "sources.show",
  summary: "show a source with its state, without secrets",
  scope: "sources:write",
  method: "GET",
  path: "/sources/{name}",
  command: "source show <name>",
  form: { page: "/administration/package-sources" },
  input: z.strictObject({ name: NAME }),
  output: LISTED,
  refusals: ["absent"],
  volatile: ["lastSuccessAt", "lastErrorAt", "lastError", "recentErrors", "pausedUntil", "status"],
  async run({ input: { name }, parts }) {
    return shownListed(await sourceOf(await parts.sources(), name));
  },
});

async function sourceOf({ administration }: RegistrySources, name: string): Promise<ListedSource> {
  const listed = await administration.list();
  const found = listed.find(({ source }) => source.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  throw absent(`There is no source "${name}": sealhouse source list`);
}

const CHANGED = z.strictObject({ name: z.string() });

const switchedSource = (verb: "enable" | "disable", summary: string) =>
  defineAction({
    id: `sources.${verb}`,
    summary,
    scope: "sources:write",
    method: "POST",
    path: `/sources/{name}/${verb}`,
    command: `source ${verb} <name>`,
    form: { page: "/administration/package-sources" },
    input: z.strictObject({ name: NAME }),
    output: CHANGED,
    refusals: ["absent", "conflict"],
    lasting: "change-sources",
    changes: "sources.show",
    async run({ input: { name }, parts, caller }) {
      const { administration, configured } = await parts.sources();
      const listed = await administration.list();
      const isUnreadable = listed.some(
        (one) => one.isUnreadable && one.source.name.toLowerCase() === name.toLowerCase(),
      );
      if (isUnreadable) throw new RefusedActionError("conflict", unreadable(name));
      const change = await administration.enable(name, verb === "enable", caller);
      requireChanged(change, name, configured);
      return { name };
    },
  });

const REMOVED = z.strictObject({
  name: z.string(),
  used: z.array(z.string()).describe("Sources of the settings that count now."),
});
/** A source that was removed, and the sources of the settings that count since then. */
export type RemovedSource = z.output<typeof REMOVED>;

const removeSource = defineAction({
  id: "sources.remove",
  summary: "remove a source from the database; fetched packages stay",
  scope: "sources:write",
  method: "DELETE",
  path: "/sources/{name}",
  command: "source remove <name>",
  form: { page: "/administration/package-sources" },
  input: z.strictObject({ name: NAME }),
  output: REMOVED,
  refusals: ["absent"],
  lasting: "change-sources",
  changes: "sources.show",
  async run({ input: { name }, parts, caller }) {
    const { administration, configured } = await parts.sources();
    const outcome = await administration.remove(name, caller);
    if (outcome === "absent") throw notStored(name, configured);
    const left = (await administration.list()).some(({ source }) => source.from === "database");
    return { name, used: left ? [] : configured.map((source) => source.name) };
  },
});

const testSource = defineAction({
  id: "sources.test",
  summary: "call a source once, and print its answer in short",
  scope: "sources:write",
  method: "POST",
  path: "/sources/{name}/test",
  command: "source test <name>",
  form: { page: "/administration/package-sources" },
  input: z.strictObject({ name: NAME }),
  output: PROBE,
  refusals: ["absent"],
  changesNothing: true,
  async run({ input: { name }, parts, signal }) {
    const sources = await parts.sources();
    const { source } = await sourceOf(sources, name);
    const { capabilities, remarks, ...report } = await sources.administration.test(source, signal);
    return {
      name: source.name,
      isEnabled: source.isEnabled,
      ...report,
      capabilities: [...capabilities],
      ...(remarks && { remarks: [...remarks] }),
    };
  },
});

const CONFLICTS = z.strictObject({
  items: z.array(
    z.strictObject({
      protocol: z.string(),
      names: z.int().describe("The number of own names."),
      conflicts: z.array(z.strictObject({ name: z.string(), source: z.string() })),
      failures: z
        .record(z.string(), z.string())
        .describe("By source: why it was not asked for all."),
    }),
  ),
});
/** Own names that sources have, by protocol. */
export type ShownConflicts = z.output<typeof CONFLICTS>;
const PROTOCOLS = ["nuget", "npm", "oci"] as const;

const findConflicts = defineAction({
  id: "sources.conflicts",
  summary: "ask the sources for all own names, and list those that they have",
  scope: "sources:write",
  method: "POST",
  path: "/sources/conflicts",
  command: "source conflicts",
  form: { page: "/administration/names" },
  input: z.strictObject({
    protocol: field(z.string().max(20).optional(), "Protocol", "nuget, npm or oci. Default: all."),
  }),
  output: CONFLICTS,
  refusals: [],
  changesNothing: true,
  isLong: true,
  async run({ input: { protocol }, parts, signal }) {
    const { administration } = await parts.sources();
    const items = [];
    for (const one of protocol === undefined ? PROTOCOLS : [protocolIn(protocol)]) {
      const { names, conflicts, failures } = await administration.conflicts(one, signal);
      const found = conflicts.map(({ name, source }) => ({ name, source }));
      items.push({
        protocol: one,
        names,
        conflicts: found,
        failures: Object.fromEntries(failures),
      });
    }
    return { items };
  },
});

export function protocolIn(text: string): (typeof PROTOCOLS)[number] {
  const protocol = PROTOCOLS.find((one) => one === text.toLowerCase());
  if (protocol) return protocol;
  throw new RefusedActionError("invalid", `"${text}" is not a protocol. Use nuget, npm or oci.`);
}

/** Registries that packages come from. */
export const SOURCE_ACTIONS = [
  addSource,
  listSources,
  showSource,
  switchedSource("enable", "use a source of the database again"),
  switchedSource("disable", "stop using a source of the database; fetched packages stay"),
  removeSource,
  testSource,
  findConflicts,
];
