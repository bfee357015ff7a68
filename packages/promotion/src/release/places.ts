import { createHash } from "node:crypto";
import type { Protocol } from "@sealhouse/request-types";
import type { ReleaseItem } from "../model/release.ts";

/** A package at a target: only one release at a time publishes it there. */
export function placeOf(target: string, protocol: Protocol, name: string): string {
  const text = `${target.toLowerCase()} ${protocol} ${name.toLowerCase()}`;
  return createHash("sha256").update(text).digest("hex");
}

/** The places of the items, each once, in order. */
export function placesOf(
  items: readonly Pick<ReleaseItem, "target" | "member">[],
): readonly string[] {
  const places = items.map(({ target, member }) => placeOf(target, member.protocol, member.name));
  return [...new Set(places)].toSorted();
}
