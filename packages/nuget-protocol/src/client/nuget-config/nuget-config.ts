import type { XmlElement } from "../../manifest/xml.ts";
import { parseXml } from "../../manifest/xml.ts";
import { readCredentials } from "./config-credentials.ts";
import type { ConfigRemark } from "./config-remark.ts";
import type { ConfigEnvironment, Expand } from "./config-section.ts";
import { addedItems, createExpander, sectionItems } from "./config-section.ts";
import type { ConfiguredSource } from "./config-source.ts";
import { readConfiguredSource } from "./config-source.ts";
import type { SourceMapping } from "./source-mapping.ts";
import { readSourceMapping } from "./source-mapping.ts";

/** Package sources of a NuGet.config. */
export type NuGetConfig = {
  /** Usable sources in the order of the file, disabled ones too. */
  readonly sources: readonly ConfiguredSource[];
  /** Undefined when the file has no mapping: every source may be asked for every id. */
  readonly mapping: SourceMapping | undefined;
  readonly remarks: readonly ConfigRemark[];
};

export type NuGetConfigOutcome =
  | { readonly status: "read"; readonly config: NuGetConfig }
  | { readonly status: "unreadable"; readonly problem: string };

export const NUGET_CONFIG_BYTES_MAX = 1024 * 1024;

/** Reads the package sources of one NuGet.config. Files of parent folders are not merged. */
export function readNuGetConfig(bytes: Uint8Array, env: ConfigEnvironment): NuGetConfigOutcome {
  if (bytes.length > NUGET_CONFIG_BYTES_MAX) {
    return unreadable(`The NuGet.config is larger than ${NUGET_CONFIG_BYTES_MAX} bytes.`);
  }
  const xml = parseXml(bytes);
  if (xml.status === "unreadable") {
    return unreadable(`The NuGet.config is not usable XML: ${xml.problem}.`);
  }
  if (xml.root.name !== "configuration") {
    return unreadable("The root element of a NuGet.config must be <configuration>.");
  }
  return { status: "read", config: configOf(xml.root, env) };
}

function unreadable(problem: string): NuGetConfigOutcome {
  return { status: "unreadable", problem };
}

function configOf(root: XmlElement, env: ConfigEnvironment): NuGetConfig {
  const remarks: ConfigRemark[] = [];
  const expand = createExpander(env);
  const disabled = disabledKeys(root, expand);
  const credentials = new Map(
    sectionItems(root, "packageSourceCredentials").map((element) => [
      keyOfElement(element),
      element,
    ]),
  );
  const sources: ConfiguredSource[] = [];
  for (const [lowerKey, element] of addedItems(root, "packageSources")) {
    const isDisabled = disabled.has(lowerKey);
    const source = readConfiguredSource(element, { expand, isDisabled, remarks });
    if (!source) continue;
    const login = readCredentials(source.key, credentials.get(lowerKey), { env, expand, remarks });
    if (login !== "refused") sources.push(login ? { ...source, credentials: login } : source);
  }
  const mapping = readSourceMapping(root, remarks);
  return { sources, mapping, remarks };
}

/** Lower-case keys. */
function disabledKeys(root: XmlElement, expand: Expand): ReadonlySet<string> {
  const items = [...addedItems(root, "disabledPackageSources")];
  const isTrue = (element: XmlElement) => {
    const value = expand(element.attributes.get("value") ?? "");
    return value.status === "expanded" && value.text.toLowerCase() === "true";
  };
  return new Set(items.filter(([, element]) => isTrue(element)).map(([key]) => key));
}

/** Lower-case key. An element's name escapes characters as `_x0020_`. */
function keyOfElement({ name }: XmlElement): string {
  const decoded = name.replace(/_x([0-9a-fA-F]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded.toLowerCase();
}
