import { describeKind } from "./kinds.ts";
import type { Setting } from "./setting.ts";

/** A table of the reference page. */
export type ReferenceSection = {
  readonly title: string;
  readonly settings: readonly (readonly [key: string, setting: Setting])[];
  /** The package that has the settings, where it is not the program itself. */
  readonly from?: string;
};

/** Renders sections of settings as Markdown, each with a title and a table. */
export function settingsReference(sections: readonly ReferenceSection[]): string {
  const tables = sections.map(({ title, settings, from }) => {
    const note = from === undefined ? "" : `From the package \`${from}\`.\n\n`;
    return `## ${title}\n\n${note}${tableOf(settings)}\n`;
  });
  return tables.join("\n");
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

function nameOf(tableKey: string, { kind }: Setting): string {
  const key = tableKey.replaceAll("*", "{name}");
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
