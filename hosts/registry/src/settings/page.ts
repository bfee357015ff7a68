import { settingsReference } from "@sealhouse/settings";
import type { ReferenceSection, Setting } from "@sealhouse/settings";
import type { Extension } from "../extension.ts";
import { OLDER_SETTINGS, VALUES_REFUSED } from "./older-host.ts";
import type { OlderSetting } from "./older-host.ts";
import { SETTINGS } from "./table.ts";

const INTRODUCTION = `# Configuration

<!-- Made by tools/generate-configuration-docs.ts from hosts/registry/src/settings/table.ts. -->

Settings come from these sources; a later one wins:

1. the defaults in the tables below;
2. \`appsettings.json\` and \`appsettings.{Environment}.json\` that ship with the host, then those
   in the working folder;
3. environment variables: \`Section__Key=value\`, lists as \`Section__Key__0\`,
   \`Section__Key__1\`, …;
4. the command line: \`--Section:Key=value\` or \`--Section:Key value\`.

Keys are equal whatever their casing. In JSON files sections are nested objects. Booleans are
\`true\` and \`false\`; time spans are \`d.hh:mm:ss\`. An empty value means "not set" unless the
table says otherwise.

The host checks all settings before it listens. It prints all problems at once, each with its key,
its source and the valid values, and ends with exit code 78. It warns about unknown keys below these
sections, with the nearest known key. \`sealhouse config check\` does the same without starting the
host; \`sealhouse config show\` prints the effective settings, with secrets masked.
`;

/** The text of docs/configuration.md, with the settings of our extension packages. */
export function configurationPage(extensions: readonly Extension[]): string {
  const own = [...Map.groupBy(Object.entries<Setting>(SETTINGS), ([key]) => sectionOf(key))];
  const sections = [
    ...own.map(([title, settings]) => ({ title, settings })),
    ...extensions.flatMap(sectionsOf),
  ];
  const parts = own.map(([title]) => partOf(title));
  const order = ({ title }: ReferenceSection) => parts.indexOf(partOf(title));
  const tables = settingsReference(sections.toSorted((a, b) => order(a) - order(b)));
  return [INTRODUCTION, tables, olderSection()].join("\n");
}

/** A section for each signing mode and storage type of an extension; names of one type share it. */
function sectionsOf({
  name: from,
  signingModes = {},
  storageTypes = {},
}: Extension): readonly ReferenceSection[] {
  const options = [
    ...Object.entries(signingModes).map(([value, option]) => ({ part: "Signing", value, option })),
    ...Object.entries(storageTypes).map(([value, option]) => ({ part: "Storage", value, option })),
  ];
  return [...Map.groupBy(options, ({ option }) => option.settings)].map(([settings, alike]) => ({
    title: `${alike[0]?.part}: ${alike.map(({ value }) => value).join(", ")}`,
    settings: Object.entries(settings),
    from,
  }));
}

/** The settings of an extension come after those of the host for the same part. */
function partOf(title: string): string {
  return title.split(":")[0] ?? title;
}

function sectionOf(key: string): string {
  const [first = "", second, ...rest] = key.split("__");
  if (first === "ConnectionStrings") return "Database";
  if (first === "PackageSources") return "Mirror";
  if (second === undefined) return "Process";
  return first === "Signing" && rest.length > 0 ? `${first}: ${second}` : first;
}

function olderSection(): string {
  const keys = OLDER_SETTINGS.map(
    ({ section, instead, ...row }) => `| \`${keyOf(section)}\` | ${allowedOf(row)} | ${instead} |`,
  );
  const values = Object.entries(VALUES_REFUSED).flatMap(([key, refused]) =>
    Object.entries(refused).map(([value, reason]) => `| \`${key}=${value}\` | | ${reason} |`),
  );
  return `## Keys of other hosts

Hosts for .NET have these keys, and this host does not. In every source of settings they stop the
start instead of being ignored. So does \`Storage__ConnectionString\` with an \`sftp:\`, \`ftp:\` or
\`ftps:\` address.

| Key | Allowed | Instead |
|---|---|---|
${[...keys, ...values].join("\n")}
`;
}

/** A key, or a section with its keys. */
function keyOf(section: string): string {
  const key = section.replaceAll("*", "{name}");
  return SECTIONS.has(section) ? `${key}__…` : key;
}

function allowedOf({ harmless = [], disabledBy }: Pick<OlderSetting, "harmless" | "disabledBy">) {
  const values = harmless.map((value) => `\`${value}\``).join(", ");
  return disabledBy ? `with \`${disabledBy.key}=${disabledBy.value}\`` : values;
}

/** Sections in the table; all other rows are keys. */
const SECTIONS: ReadonlySet<string> = new Set([
  "Authentication",
  "Caching",
  "HealthCheck",
  "Host__Access",
  "Search",
  "Shields",
]);
