import { reasonOf } from "@sealhouse/advisories";
import type { AdvisorySourceLocation } from "@sealhouse/advisories";
import { isSourceName } from "@sealhouse/advisories/settings";
import { z } from "zod";
import { defineAction } from "../action.ts";
import type { Asked } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { textField } from "../promotion/fields.ts";
import { absent, conflict, invalidField } from "../refusal.ts";
import { runAlone } from "../run-alone.ts";
import { shown } from "../shown.ts";
import type { AdvisorySources } from "./parts.ts";

const COMMON = {
  scope: "sources:write",
  form: { none: "Sources of advisories have no form." },
} as const;
const COUNT = z.int().min(0);
const COUNTED = z.strictObject({ added: COUNT, removed: COUNT, total: COUNT });
const TIME = z.iso.datetime();
const NAME_MAX = 64;

const REPORT = z.strictObject({
  status: z.enum(["imported", "unchanged", "failed"]),
  source: z.string(),
  reason: z.string().optional(),
  added: COUNT.optional(),
  removed: COUNT.optional(),
  total: COUNT.optional(),
  nuget: COUNTED.optional(),
  npm: COUNTED.optional(),
  skipped: z
    .strictObject({ count: COUNT, reasons: z.array(z.string()) })
    .optional()
    .describe("Documents that could not be read."),
});

/** The outcome of the import of a source. */
export type ShownAdvisoryImport = z.output<typeof REPORT>;

const importAll = defineAction({
  ...COMMON,
  id: "vulnerabilities.import",
  summary: "import the configured sources now, or a folder, file or URL",
  method: "POST",
  path: "/vulnerabilities/import",
  command: "vulnerabilities import [location]",
  isLong: true,
  lasting: "change-sources",
  input: z.strictObject({
    location: field(
      z.string().max(2_000).optional(),
      "Location",
      "A URL of advisories; with a command on the registry's machine also a folder or file.",
      { isPath: true },
    ),
    source: field(z.string().max(NAME_MAX).optional(), "Source", "Only this configured source.", {
      option: "--source <name>",
    }),
    name: field(
      z.string().max(NAME_MAX).optional(),
      "Name",
      "Name for the imported folder, file or URL.",
      { option: "--name <name>" },
    ),
  }),
  output: z.strictObject({ items: z.array(REPORT) }),
  refusals: ["absent", "conflict", "busy", "unavailable"],
  async run(asked) {
    const { input, parts } = asked;
    const advisories = await parts.advisories();
    const sources = chosenSources(asked, advisories);
    const isByHand = input.location !== undefined;
    const work = { name: "advisories", what: "import of advisories" };
    return runAlone(asked, work, async (signal) => {
      const items: ShownAdvisoryImport[] = [];
      for (const source of sources) {
        items.push(await imported(advisories, source, { isByHand, signal }));
      }
      return { items };
    });
  },
});

const SOURCE = z
  .strictObject({
    name: z.string(),
    location: z.string(),
    updatedAt: TIME.describe("When it changed."),
    checkedAt: TIME.describe("When it was read."),
    isByHand: z.boolean().describe("A person named it, and not the settings."),
  })
  .meta({ id: "AdvisorySource", title: "A source of advisories about vulnerable packages" });

/** A source of advisories as the API and commands show it. */
export type ShownAdvisorySource = z.output<typeof SOURCE>;

const list = defineAction({
  ...COMMON,
  id: "vulnerabilities.list",
  summary: "list imported sources",
  method: "GET",
  path: "/vulnerabilities/sources",
  command: "vulnerabilities list",
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(SOURCE),
  refusals: [],
  async run({ input, parts }) {
    const sources = await (await parts.advisories()).imported();
    return pageOf(shown(sources), input, ({ name }) => name);
  },
});

const remove = defineAction({
  ...COMMON,
  id: "vulnerabilities.remove",
  summary: "remove a source and its advisories",
  method: "DELETE",
  path: "/vulnerabilities/sources/{name}",
  command: "vulnerabilities remove <name>",
  lasting: "change-sources",
  input: z.strictObject({ name: textField(NAME_MAX, "Source", "The name of the source.") }),
  output: z.strictObject({ name: z.string() }),
  refusals: ["absent"],
  async run({ input: { name }, parts }) {
    const advisories = await parts.advisories();
    const sources = await advisories.imported();
    if (!sources.some((source) => source.name === name)) {
      throw absent(`There is no source of advisories "${name}": sealhouse vulnerabilities list`);
    }
    await advisories.remove(name);
    return { name };
  },
});

/** Advisories about vulnerable packages. */
export const ADVISORY_ACTIONS = [importAll, list, remove];

type Chosen = { readonly location?: string; readonly source?: string; readonly name?: string };

function chosenSources(
  { input, isOnMachine }: Asked<Partial<Record<keyof Chosen, string | undefined>>>,
  advisories: AdvisorySources,
): readonly AdvisorySourceLocation[] {
  const { location, source, name } = input;
  const configured = advisories.configured();
  if (location !== undefined) {
    if (!isOnMachine && !/^https?:\/\//i.test(location)) {
      const words = "must be a URL: folders and files need the machine of the registry.";
      throw invalidField("location", words);
    }
    if (name === undefined || !isSourceName(name)) {
      const shownName = location.split("/").at(-1) ?? location;
      throw conflict(`Say with --name what ${shownName} is called: letters, digits, . _ -`);
    }
    if (configured.some((entry) => entry.name === name)) {
      throw conflict(`${name} is a source of the settings: leave the address out.`);
    }
    return [{ name, location }];
  }
  const chosen = configured.filter((entry) => source === undefined || entry.name === source);
  if (chosen.length > 0) return chosen;
  throw absent(
    source === undefined
      ? "The settings name no source: set Feed__Vulnerabilities__Sources__0__Name and " +
          "__Path or __Url, or name a folder or an address."
      : `The settings name no source "${source}".`,
  );
}

async function imported(
  advisories: AdvisorySources,
  source: AdvisorySourceLocation,
  how: { readonly isByHand: boolean; readonly signal: AbortSignal },
): Promise<ShownAdvisoryImport> {
  try {
    return shown(await advisories.import(source, how));
  } catch (error) {
    return { status: "failed", source: source.name, reason: reasonOf(error) };
  }
}
