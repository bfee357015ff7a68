import { describeKind } from "./kinds.ts";
import type { Setting } from "./setting.ts";

/** Renders tables of settings as Markdown, one for each section. `packages`: the package that has
 * the settings of a section, where it is not the program itself. */
export function settingsReference(
  table: ReadonlyMap<string, Setting>,
  options: {
    readonly sectionOf: (key: string) => string;
    readonly packages?: ReadonlyMap<string, string>;
  },
): string {
  const { sectionOf, packages } = options;
  const sections = Map.groupBy(table, ([key]) => sectionOf(key));
  const tables = [...sections].map(([section, settings]) => {
    const from = packages?.get(section);
    const note = from === undefined ? "" : `From the package \`${from}\`.\n\n`;
    return `## ${section}\n\n${note}${tableOf(settings)}\n`;
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
