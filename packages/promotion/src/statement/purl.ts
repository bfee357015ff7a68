import type { ReleaseMember } from "../model/release.ts";

/** The package URL of a member: `pkg:npm/%40acme/bar@1.0.0`. */
export function purlOf({
  protocol,
  name,
  version,
}: Pick<ReleaseMember, "protocol" | "name" | "version">): string {
  const parts = name.split("/").map(encodeURIComponent);
  const at = encodeURIComponent(version);
  if (protocol !== "oci") return `pkg:${protocol}/${parts.join("/")}@${at}`;
  return `pkg:oci/${parts.at(-1)}@${at}?repository_url=${encodeURIComponent(name)}`;
}
