import { html } from "hono/html";
import type { Html } from "../page/document.ts";
import type { Severity } from "../page/model.ts";

const SEVERITIES: Readonly<Record<Severity, string>> = {
  0: "Low",
  1: "Moderate",
  2: "High",
  3: "Critical",
};

const TAGS_SHOWN_MAX = 5;

/** Package types that change how to use a package. A library has none of them. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ["dotnettool", ".NET tool"],
  ["template", "Template"],
  ["msbuildsdk", "MSBuild SDK"],
  ["mcpserver", "MCP server"],
]);

export function severityName(severity: Severity): string {
  return SEVERITIES[severity];
}

/** Returns badges for the state of a version. The text tells the state without the colour. */
export function stateBadges(state: {
  readonly isPrerelease: boolean;
  readonly listed?: boolean;
  readonly deprecated: boolean;
  readonly severity?: Severity | undefined;
}): readonly (Html | false)[] {
  const { isPrerelease, listed = true, deprecated, severity } = state;
  return [
    isPrerelease && badge("Prerelease", "calm"),
    !listed && badge("Unlisted", "calm"),
    deprecated && badge("Deprecated", "warn"),
    severity !== undefined && badge(`Vulnerable: ${severityName(severity).toLowerCase()}`, "bad"),
  ];
}

export function typeBadges(packageTypes: readonly string[]): readonly Html[] {
  const names = packageTypes.flatMap((type) => TYPE_NAMES.get(type.toLowerCase()) ?? []);
  return names.map((name) => badge(name, "kind"));
}

/** Returns badges for the first dist-tags of a version. */
export function tagBadges(tags: readonly string[]): readonly Html[] {
  const shown = tags.slice(0, TAGS_SHOWN_MAX).map((tag) => badge(tag, "kind"));
  const hidden = tags.length - shown.length;
  return hidden > 0 ? [...shown, badge(`and ${hidden} more`, "calm")] : shown;
}

export function badge(text: string, tone: "calm" | "warn" | "bad" | "kind"): Html {
  return html`<span class="badge ${tone}">${text}</span> `;
}
