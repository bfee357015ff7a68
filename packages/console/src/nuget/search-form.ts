import { searchField, selectField, TEXT_LENGTH_MAX } from "../kit/forms/search-fields.ts";
import type { Option } from "../kit/forms/search-fields.ts";
import { html } from "hono/html";
import type { Html } from "../kit/page/document.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import type { PackageQuery } from "./model.ts";

const TYPES: readonly Option[] = [
  ["", "All types"],
  ["Dependency", "Libraries"],
  ["DotnetTool", ".NET tools"],
  ["Template", "Templates"],
  ["MSBuildSdk", "MSBuild SDKs"],
  ["McpServer", "MCP servers"],
];
const PRERELEASES: readonly Option[] = [
  ["true", "Included"],
  ["false", "Excluded"],
];
/** Suggestions for the framework; the field accepts any name. */
const FRAMEWORKS: readonly string[] = [
  "net10.0",
  "net9.0",
  "net8.0",
  "netstandard2.1",
  "netstandard2.0",
  "net48",
  "net472",
  "net462",
];

/** Renders the search form with all filters. It needs no script. */
export function searchForm(query: PackageQuery, { root }: PublicAddress): Html {
  const { text, prerelease, packageType, framework } = query;
  const isKnown = TYPES.some(([value]) => value.toLowerCase() === packageType.toLowerCase());
  const types = isKnown ? TYPES : [...TYPES, [packageType, packageType] as const];
  return html`<form class="card search" action="${root}/packages" role="search">
    ${searchField({
      label: "Search packages",
      value: text,
      lengthMax: TEXT_LENGTH_MAX,
      help: html`Words of the name, title, tags, authors or description, or one of <code>id:</code>
        <code>packageid:</code> <code>tags:</code> <code>author:</code> <code>owner:</code>`,
    })}
    <div class="filters">
      ${selectField({ name: "packageType", label: "Type", options: types, chosen: packageType })}
      ${selectField({
        name: "prerelease",
        label: "Prereleases",
        options: PRERELEASES,
        chosen: String(prerelease),
      })}
      <div>
        <label for="framework">Framework</label>
        <input
          id="framework"
          name="framework"
          value="${framework}"
          list="frameworks"
          placeholder="any"
          autocomplete="off"
          maxlength="100"
        />
        <datalist id="frameworks">
          ${FRAMEWORKS.map((option) => html`<option value="${option}"></option>`)}
        </datalist>
      </div>
    </div>
  </form>`;
}
