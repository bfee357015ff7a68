import { SOURCES } from "./administration-page.ts";

/** Path of the page of a source, without the path of the registry. */
export function sourcePath(
  name: string,
  action?: "enable" | "disable" | "remove" | "test",
): string {
  const path = `${SOURCES}/${encodeURIComponent(name)}`;
  return action === undefined ? path : `${path}/${action}`;
}
