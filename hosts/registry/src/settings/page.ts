import type { Extension } from "../extension.ts";
import { describeKind } from "./kinds.ts";
import { NOT_BUILT, VALUES_NOT_BUILT } from "./not-built.ts";
import { settingsTable } from "./table.ts";
import type { Setting } from "./setting.ts";

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

The host checks everything before it listens, prints all problems at once, each with its key, where
the value came from and what is allowed, and ends with exit code 78. Keys below these sections that
nobody knows are warned about, with the nearest key that exists. \`sealhouse config check\` does the
same without starting; \`sealhouse config show\` prints what is in effect, with secrets masked.
`;

/** The text of docs/configuration.md, with what our own extension packages bring. */
export function configurationPage(extensions: readonly Extension[]): string {
  const brought = new Map(
    extensions.flatMap(({ name, signingModes = {} }) =>
      Object.values(signingModes).flatMap(({ settings }) =>
        Object.keys(settings).map((key) => [sectionOf(key), name] as const),
      ),
    ),
  );
  const sections = Map.groupBy(settingsTable(extensions), ([key]) => sectionOf(key));
  const tables = [...sections].map(([section, settings]) => {
    const from = brought.get(section);
    const note = from === undefined ? "" : `From the package \`${from}\`.\n\n`;
    return `## ${section}\n\n${note}${tableOf(settings)}\n`;
  });
  return [INTRODUCTION, ...tables, notBuiltSection()].join("\n");
}

function sectionOf(key: string): string {
  const [first = "", second, ...rest] = key.split("__");
  if (first === "ConnectionStrings") return "Database";
  if (second === undefined) return "Process";
  return first === "Signing" && rest.length > 0 ? `${first}: ${second}` : first;
}

function tableOf(settings: readonly (readonly [string, Setting])[]): string {
  const rows = settings.map(([key, setting]) => {
    const marks = [
      ...(setting.secret ? ["**secret**"] : []),
      ...(setting.aliases ?? []).map((alias) => `alias \`${alias}\``),
    ];
    const name = [`\`${nameOf(key, setting)}\``, ...marks].join("<br>");
    return `| ${name} | ${describeKind(setting.kind)} | ${defaultOf(setting)} | ${setting.about} |`;
  });
  return ["| Key | Allowed | Default | Meaning |", "|---|---|---|---|", ...rows].join("\n");
}

function nameOf(key: string, { kind }: Setting): string {
  if (kind.type === "list") return `${key}__0`;
  if (kind.type === "sections") return `${key}__0__{field}`;
  if (kind.type === "named-sections") return `${key}__{name}__{field}`;
  return kind.type === "named" ? `${key}__{name}` : key;
}

function defaultOf({ fallback, otherwise, required }: Setting): string {
  if (fallback !== undefined) return `\`${fallback}\``;
  if (required === true) return "required";
  if (required) return `required without \`${required.unless}\``;
  return otherwise ?? "none";
}

function notBuiltSection(): string {
  const keys = NOT_BUILT.map(({ section, trigger, missing }) => {
    const key = trigger === undefined ? `${section}__…` : `${section}__${trigger}`;
    return `| \`${key}\` | ${missing} |`;
  });
  const values = Object.entries(VALUES_NOT_BUILT).flatMap(([key, later]) =>
    Object.entries(later).map(([value, missing]) => `| \`${key}=${value}\` | ${missing} |`),
  );
  return `## Not in this version

Set to something that asks for the missing part, these keys stop the start instead of being ignored.

| Key | Needs |
|---|---|
${[...keys, ...values].join("\n")}
`;
}
