import { createHmac, randomBytes } from "node:crypto";
import { BoundedCache } from "@sealhouse/bounded-cache";
import type { WantedName } from "../../sources/sources-for.ts";

/** A name that is hidden from a caller. */
export type HiddenName = Pick<WantedName, "protocol" | "name"> & {
  /** The beginning of the name that decides which registry is asked; empty = none. */
  readonly prefix?: string;
};

/**
 * Names that no package has. They replace names that are hidden from a caller in questions to rows
 * and sources. So the answer is that for an unknown name, even when sources fail, and no source
 * learns the hidden name.
 */
export type StandIns = {
  /** Returns the stand-in of a name; the same one each time. */
  of(hiddenName: HiddenName): string;
  /** Returns the name whose sources are asked: of a stand-in, those of the hidden name. */
  routed(wantedName: WantedName): WantedName;
};

const NAMES_MAX = 10_000;
const KEY_BYTES = 32;
/** Hexadecimal characters of a part of a name. */
const PART_LENGTH = 20;

export function createStandIns(): StandIns {
  const key = randomBytes(KEY_BYTES);
  const hiddenNames = new BoundedCache<string, Required<HiddenName>>({ entries: NAMES_MAX });
  const idOf = (protocol: string, standIn: string) => `${protocol} ${standIn}`;
  return {
    of({ protocol, name, prefix = "" }) {
      const digest = createHmac("sha512", key).update(`${protocol} ${name}`).digest("hex");
      const standIn = prefix + sameShape(name.slice(prefix.length), digest);
      const id = idOf(protocol, standIn);
      hiddenNames.set(id, { protocol, name, prefix });
      return standIn;
    },
    routed(wantedName) {
      const hidden = hiddenNames.get(idOf(wantedName.protocol, wantedName.name));
      if (!hidden) return wantedName;
      const { name, prefix } = hidden;
      const isElsewhere = wantedName.nameAtSource !== undefined;
      const nameAtSource = isElsewhere ? { nameAtSource: name.slice(prefix.length) } : {};
      return { ...wantedName, name, ...nameAtSource };
    },
  };
}

/** Keeps only what distinguishes names by their form: `@`, and up to five parts. */
function sameShape(name: string, digest: string): string {
  const parts = name.split("/").slice(0, Math.floor(digest.length / PART_LENGTH));
  return parts
    .map((part, index) => {
      const start = index * PART_LENGTH;
      return `${part.startsWith("@") ? "@" : ""}${digest.slice(start, start + PART_LENGTH)}`;
    })
    .join("/");
}
