import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PROTOCOL } from "../names/name-fields.ts";
import { countField } from "../paging.ts";
import { optionalText, textField } from "../promotion/fields.ts";
import { absent, invalidField } from "../refusal.ts";
import { realDate } from "../real-date.ts";
import { shown } from "../shown.ts";
import { counted } from "./rows.ts";

const FORM = { page: "/administration/actions" } as const;
const NAME = textField(255, "Name", "The name of a package or a repository.");
const ENTRY = z
  .strictObject({
    protocol: PROTOCOL,
    name: z.string(),
    kind: z.string().describe("version, listing, deprecation, tag, owners or visibility"),
    item: z.string().describe("Version or tag; empty for facts of the whole name."),
    value: z.string(),
    from: z.iso.datetime(),
    until: z.iso.datetime().optional().describe("Absent: it still holds."),
  })
  .meta({ id: "HistoryEntry", title: "A fact about a name, and the time in which it held" });

/** An entry of the history as the API and commands show it. */
export type ShownHistoryEntry = z.output<typeof ENTRY>;

const list = defineAction({
  id: "history.list",
  summary: "print when versions, tags, listing, owners and visibility of a name changed",
  scope: "audit:read",
  method: "GET",
  path: "/history/{name}",
  command: "history <name>",
  form: FORM,
  input: z.strictObject({
    name: NAME,
    protocol: field(
      z.enum(PROTOCOL.options, `must be one of ${PROTOCOL.options.join(", ")}`).optional(),
      "Protocol",
      "nuget, npm or oci; default: all.",
    ),
    at: optionalText(
      40,
      "Time",
      "Only what held then: a date or time, such as 2027-01-31T12:00Z.",
      { option: "--at <time>" },
    ),
    limit: countField({ max: 10_000, fallback: 200, items: "entries" }),
  }),
  output: z.strictObject({ items: z.array(ENTRY) }),
  refusals: [],
  async run({ input: { name, protocol, at, limit }, parts }) {
    const time = at === undefined ? undefined : realDate(at);
    if (at !== undefined && !time) {
      throw invalidField("at", "must be a date or time, such as 2027-01-31 or 2027-01-31T12:00Z.");
    }
    const protocols = protocol === undefined ? PROTOCOL.options : [protocol];
    const query = { protocols, limit, ...(time && { at: time }) };
    return shown({ items: await (await parts.content()).history.of(name, query) });
  },
});

const erase = defineAction({
  id: "history.erase",
  summary: "remove deleted content, or one version or digest of it, from views as of a time",
  scope: "storage:write",
  method: "DELETE",
  path: "/history/{protocol}/{name}",
  command: "erase <protocol> <name> [item]",
  form: FORM,
  input: z.strictObject({
    protocol: field(PROTOCOL, "Protocol", "nuget, npm or oci."),
    name: NAME,
    item: optionalText(255, "Version or digest", "Only this one."),
  }),
  output: z.strictObject({ count: z.int() }),
  refusals: ["absent"],
  lasting: "delete-permanently",
  hasDryRun: true,
  ending: ({ count }) => ({
    title: "Remove deleted content from views?",
    ends: [
      `${counted(count, "version or image")}: views as of a time no longer show it, and its ` +
        "bytes are deleted.",
    ],
    button: "Erase it",
  }),
  async run({ input: { protocol, name, item }, parts, caller, isDryRun }) {
    // NuGet compares ids and versions without regard to letter case.
    const cased = (text: string) => (protocol === "nuget" ? text.toLowerCase() : text);
    const wanted = item === undefined ? {} : { item: cased(item) };
    const content = { protocol, name: cased(name), ...wanted };
    const { history } = await parts.content();
    const count = await (isDryRun ? history.erasable(content) : history.erase(content, caller));
    if (count > 0) return { count };
    throw absent(`Views keep no deleted content of ${[name, item].join(" ").trim()}.`);
  },
});

/** The history of names. */
export const HISTORY_ACTIONS = [list, erase];
