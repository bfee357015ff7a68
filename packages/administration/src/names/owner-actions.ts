import { auditRecords, drainAudit } from "@sealhouse/events";
import type { RegistryEvent } from "@sealhouse/events";
import { coversName, OWNERS_OF_NAME_MAX, parsePatterns } from "@sealhouse/identity";
import type { OwnableName } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, conflict, RefusedActionError } from "../refusal.ts";
import { timeIn } from "../times.ts";
import {
  HANDLE,
  LEVEL,
  NAME_FIELDS,
  nameIn,
  OWNER,
  PROTOCOL,
  readText,
  requireOwner,
} from "./name-fields.ts";

const SCOPE = "people:write";
const ON_PAGE = { page: "/manage/{protocol}/{name}" };
const OWNED_NAME = z.strictObject({ protocol: PROTOCOL, name: z.string() });

const OWNER_LEVEL = OWNER.extend({ level: z.enum(["read", "publish", "manage"]) }).meta({
  id: "OwnerOfName",
  title: "An owner of a name",
});

/** An owner of a name as the API and commands show it. */
export type ShownOwner = z.output<typeof OWNER_LEVEL>;

const listOwners = defineAction({
  id: "owners.list",
  summary: "list the owners of a name",
  scope: SCOPE,
  method: "GET",
  path: "/owners/{protocol}/{name}",
  command: "owner list <protocol> <name>",
  form: ON_PAGE,
  input: z.strictObject({ ...NAME_FIELDS, ...PAGE_FIELDS }),
  output: pageSchema(OWNER_LEVEL),
  refusals: [],
  async run({ input, parts }) {
    const { ownership } = await parts.names();
    const owners = await ownership.ownerships.list(nameIn(input));
    const shown = owners.map(({ id, kind, handle, level }) => ({ id, kind, handle, level }));
    return pageOf(shown, input, ({ handle }) => handle);
  },
});

const GRANTED = OWNED_NAME.extend({
  handle: z.string(),
  level: z.string(),
  outcome: z.enum(["granted", "unchanged"]),
});

/** The level that an owner has now. */
export type GrantedLevel = z.output<typeof GRANTED>;

const addOwner = defineAction({
  id: "owners.add",
  summary: "add a user or team as owner, or set its level",
  scope: SCOPE,
  method: "PUT",
  path: "/owners/{protocol}/{name}/{handle}",
  command: "owner add <protocol> <name> <handle>",
  form: ON_PAGE,
  input: z.strictObject({ ...NAME_FIELDS, handle: HANDLE, level: LEVEL }),
  output: GRANTED,
  refusals: ["absent", "conflict"],
  lasting: "change-owners",
  changes: "owners.list",
  async run({ input, parts, caller }) {
    const { level } = input;
    const name = nameIn(input);
    const rows = await parts.names();
    const owner = await requireOwner(rows, input.handle);
    const outcome = await rows.ownership.ownerships.grant(name, { ...owner, level }, caller);
    if (outcome === "last") throw lastOwner(input.name);
    if (outcome === "full") {
      const problem = `has ${OWNERS_OF_NAME_MAX} owners, the most for one name`;
      throw conflict(`${input.name} ${problem}: remove some, or make a team an owner.`);
    }
    return { ...name, handle: owner.handle, level, outcome };
  },
});

const REVOKED = OWNED_NAME.extend({ handle: z.string(), outcome: z.literal("revoked") });

/** The owner that a name had. */
export type RevokedOwner = z.output<typeof REVOKED>;

const removeOwner = defineAction({
  id: "owners.remove",
  summary: "remove an owner; the last one with the level manage stays",
  scope: SCOPE,
  method: "DELETE",
  path: "/owners/{protocol}/{name}/{handle}",
  command: "owner remove <protocol> <name> <handle>",
  form: ON_PAGE,
  input: z.strictObject({ ...NAME_FIELDS, handle: HANDLE }),
  output: REVOKED,
  refusals: ["absent", "conflict"],
  lasting: "change-owners",
  changes: "owners.list",
  async run({ input, parts, caller }) {
    const name = nameIn(input);
    const rows = await parts.names();
    const { id, handle } = await requireOwner(rows, input.handle);
    const outcome = await rows.ownership.ownerships.revoke(name, id, caller);
    if (outcome === "last") throw lastOwner(input.name);
    if (outcome === "absent") throw absent(`${handle} is not an owner of ${input.name}.`);
    return { ...name, handle, outcome };
  },
});

const REFUSAL = z
  .strictObject({
    actor: z.string(),
    subject: z.string(),
    action: z.string(),
    reason: z.string(),
    last: z.iso.datetime(),
  })
  .meta({ id: "RefusalByOwners", title: "A request that the owners of names would refuse" });

/** A request that would be refused, as the API and commands show it. */
export type ShownRefusal = z.output<typeof REFUSAL>;

const reportOwners = defineAction({
  id: "owners.report",
  summary: "list what Host__Access__Owners=enforce would refuse, from the audit log",
  scope: "audit:read",
  method: "GET",
  path: "/owner-report",
  command: "owner report",
  form: { none: "It prepares a setting, once." },
  input: z.strictObject({
    since: field(z.string().max(40).default("30d"), "From", "A span (30d, 12h) or a date.", {
      option: "--since <when>",
    }),
    ...PAGE_FIELDS,
  }),
  output: pageSchema(REFUSAL),
  refusals: [],
  async run({ input, parts, now }) {
    const { outbox, audit } = await parts.events();
    await drainAudit(outbox, audit);
    const since = timeIn("since", input.since, now);
    const query = { since, types: ["access.would-refuse"], order: "oldest-first" } as const;
    const rows = new Map<string, ShownRefusal>();
    for await (const record of auditRecords(audit, query)) {
      const row = refusalOf(record);
      rows.set(JSON.stringify([row.actor, row.subject, row.action]), row);
    }
    const keyOf = ({ last, actor, subject, action }: ShownRefusal) =>
      JSON.stringify([last, actor, subject, action]);
    return pageOf([...rows.values()], input, keyOf);
  },
});

const IMPORTED = z.strictObject({
  adopted: z.int().describe("Names that have owners now."),
  left: z.array(OWNED_NAME).describe("Names of which no publisher is a user or a team."),
  crowded: z
    .array(OWNED_NAME.extend({ others: z.array(z.string()) }))
    .describe("Names with more publishers than owners are possible."),
});

/** Names whose publishers became owners. */
export type ImportedOwners = z.output<typeof IMPORTED>;

const importOwners = defineAction({
  id: "owners.import",
  summary: "make the recorded publishers of names without owners their owners",
  scope: SCOPE,
  method: "POST",
  path: "/owners/import",
  command: "owner import",
  form: { none: "It prepares a setting, once." },
  input: z.strictObject({}),
  output: IMPORTED,
  refusals: [],
  lasting: "change-owners",
  isLong: true,
  async run({ parts, caller }) {
    const { ownership } = await parts.names();
    const { adopted, left, crowded } = await ownership.unowned.adoptPublishers(caller);
    return {
      adopted,
      left: [...left],
      crowded: crowded.map(({ others, ...name }) => ({ ...name, others: [...others] })),
    };
  },
});

const ADOPTED = z.strictObject({
  owner: z.string().optional(),
  dryRun: z.boolean(),
  names: z.array(OWNED_NAME),
});

/** Names that got an owner, or have none. */
export type AdoptedNames = z.output<typeof ADOPTED>;

const adoptNames = defineAction({
  id: "owners.adopt",
  summary: "make a user or team the owner of names that have none",
  scope: SCOPE,
  method: "POST",
  path: "/owners/adopt",
  command: "owner adopt [handle]",
  form: { none: "It prepares a setting, once." },
  input: z.strictObject({
    handle: field(z.string().max(64).optional(), "Owner", "The handle of a user or a team."),
    protocol: field(PROTOCOL.optional(), "Protocol", "nuget, npm or oci. Default: all.", {
      option: "--protocol <protocol>",
    }),
    pattern: field(
      z.string().max(2_000).default("**"),
      "Names",
      "Names that match a pattern: Acme.*,@acme/*.",
      { option: "--pattern <list>" },
    ),
  }),
  output: ADOPTED,
  refusals: ["absent"],
  lasting: "change-owners",
  hasDryRun: true,
  isLong: true,
  async run({ input: { handle, protocol, pattern }, parts, caller, isDryRun }) {
    if (handle === undefined && !isDryRun) {
      const words = "Name the user or team that becomes the owner, or pass --dry-run.";
      throw new RefusedActionError("invalid", words);
    }
    const patterns = readText(() => parsePatterns(pattern), "pattern");
    const rows = await parts.names();
    const { unowned } = rows.ownership;
    const owner = handle === undefined ? undefined : await requireOwner(rows, handle);
    const isChosen = (name: OwnableName) =>
      (protocol === undefined || name.protocol === protocol) &&
      patterns.some((one) => coversName(one, name.protocol, name.name));
    // Another command may have given it an owner since it was listed.
    const adopt = async (name: OwnableName) =>
      isDryRun || !owner || (await unowned.adopt(name, owner, caller)) === "adopted";
    const names: OwnableName[] = [];
    for await (const name of unowned.list()) {
      if (isChosen(name) && (await adopt(name))) names.push(name);
    }
    return { ...(owner && { owner: owner.handle }), dryRun: isDryRun, names };
  },
});

/** The owners of names. */
export const OWNER_ACTIONS = [
  reportOwners,
  importOwners,
  adoptNames,
  listOwners,
  addOwner,
  removeOwner,
];

function refusalOf({ caller, subject, detail = {}, at }: RegistryEvent): ShownRefusal {
  const { action, reason } = detail;
  const { actor } = caller;
  const words = { action: String(action), reason: String(reason) };
  return { actor, subject, ...words, last: at.toISOString() };
}

function lastOwner(name: string) {
  return conflict(
    `${name} must keep an owner with the level manage: add another one before you remove the last.`,
  );
}
