import type { Problems } from "./nuspec-fields.ts";
import type { Dependency, DependencyGroup } from "./nuspec-parts.ts";
import { isDependencyId } from "../notation/package-id.ts";
import { isTargetFramework } from "../notation/target-framework.ts";
import {
  formatVersionRange,
  hasMetadataBound,
  parseVersionRange,
} from "../notation/version-range.ts";
import type { XmlElement } from "./xml.ts";

const ANY_VERSION = "(, )";
const RANGE_LENGTH_MAX = 256;

/** Dependencies by framework. A flat list is one group for any framework. */
export function readDependencyGroups(
  element: XmlElement | undefined,
  problems: Problems,
): readonly DependencyGroup[] {
  const groups = element?.children.filter((child) => child.name === "group") ?? [];
  const flat = element?.children.filter((child) => child.name === "dependency") ?? [];
  if (groups.length > 0 && flat.length > 0) {
    problems.push("<dependencies> mixes <group> and <dependency>; use one of them.");
  }
  if (groups.length > 0) return groups.map((group) => readGroup(group, problems));
  return flat.length > 0 ? [{ dependencies: readDependencies(flat, problems) }] : [];
}

function readGroup(group: XmlElement, problems: Problems): DependencyGroup {
  const framework = group.attributes.get("targetFramework")?.trim() || undefined;
  if (framework !== undefined && !isTargetFramework(framework)) {
    problems.push(`"${framework.slice(0, 120)}" is not a target framework that clients know.`);
  }
  return {
    targetFramework: framework,
    dependencies: readDependencies(group.children, problems),
  };
}

function readDependencies(
  elements: readonly XmlElement[],
  problems: Problems,
): readonly Dependency[] {
  const seen = new Set<string>();
  return elements
    .filter((element) => element.name === "dependency")
    .map((element) => {
      const id = element.attributes.get("id")?.trim() ?? "";
      if (!isDependencyId(id)) problems.push(`"${id.slice(0, 130)}" is not a package id.`);
      if (seen.has(id.toLowerCase()))
        problems.push(`The dependency ${id} is listed twice in a group.`);
      seen.add(id.toLowerCase());
      return { id, range: readRange(id, element.attributes.get("version"), problems) };
    });
}

function readRange(id: string, text: string | undefined, problems: Problems): string {
  if (text === undefined || text.trim() === "") return ANY_VERSION;
  const range = text.length <= RANGE_LENGTH_MAX ? parseVersionRange(text) : undefined;
  if (!range) {
    const floats = text.includes("*") ? " Floating versions are for projects, not packages." : "";
    problems.push(`The dependency ${id} has no valid range: "${text.slice(0, 80)}".${floats}`);
    return ANY_VERSION;
  }
  if (hasMetadataBound(range)) {
    problems.push(`The dependency ${id} has build metadata in its range "${text.slice(0, 80)}".`);
  }
  return formatVersionRange(range);
}
