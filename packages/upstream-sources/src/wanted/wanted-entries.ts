import { parsePackageVersion as parseNuGetVersion, isPackageId } from "@sealhouse/nuget-protocol";
import { parseOldPackageName, parsePackageVersion } from "@sealhouse/npm-protocol";
import { SourceError } from "../source-error.ts";
import type { Unbundled, Wanted, WantedList, WantedPackage } from "./wanted.ts";

/** Fields of an entry before they are checked. */
export type FoundPackage = {
  readonly name: string;
  readonly version: string;
  readonly integrity?: string | undefined;
  readonly os?: readonly string[] | undefined;
  readonly cpu?: readonly string[] | undefined;
};

/** Collects the entries of one file. */
export type WantedEntries = {
  npm(found: FoundPackage): void;
  nuget(found: FoundPackage): void;
  add(entry: Wanted): void;
  skip(entry: Omit<Unbundled, "from">): void;
  list(): WantedList;
};

const ENTRIES_MAX = 200_000;
const TEXT_LENGTH_MAX = 300;
const PLATFORMS_MAX = 50;

/** @param from name of the file */
export function createEntries(from: string): WantedEntries {
  const wanted: Wanted[] = [];
  const unbundled: Unbundled[] = [];
  const checkCount = () => {
    if (wanted.length + unbundled.length <= ENTRIES_MAX) return;
    throw new SourceError(`${from} has more than ${ENTRIES_MAX} entries.`);
  };
  const add = (entry: Wanted) => {
    wanted.push(entry);
    checkCount();
  };
  const skip = (entry: Omit<Unbundled, "from">) => {
    const [name, reason] = [short(entry.name), short(entry.reason)];
    unbundled.push({ ...entry, name, reason, from });
    checkCount();
  };
  const addPackage = (
    protocol: WantedPackage["protocol"],
    identity: Identity,
    found: FoundPackage,
  ) => {
    const { integrity } = found;
    const os = platformsOf(found.os);
    const cpu = platformsOf(found.cpu);
    add({
      protocol,
      ...identity,
      ...(integrity !== undefined && integrity !== "" && { integrity: short(integrity) }),
      ...(os && { os }),
      ...(cpu && { cpu }),
      from,
    });
  };
  const refuse = (found: FoundPackage) =>
    skip({
      kind: "invalid",
      name: `${found.name} ${found.version}`,
      reason: "Its name or version is not valid.",
    });
  return {
    npm(found) {
      const name = parseOldPackageName(found.name);
      const version = parsePackageVersion(found.version);
      if (name && version) addPackage("npm", { name, version }, found);
      else refuse(found);
    },
    nuget(found) {
      const version = parseNuGetVersion(found.version)?.normalized;
      if (isPackageId(found.name) && version !== undefined) {
        addPackage("nuget", { name: found.name, version }, found);
      } else refuse(found);
    },
    add,
    skip,
    list: () => ({ wanted, unbundled }),
  };
}

type Identity = { readonly name: string; readonly version: string };

function short(text: string): string {
  return text.slice(0, TEXT_LENGTH_MAX);
}

/** Undefined for every platform. */
function platformsOf(list: readonly string[] | undefined): readonly string[] | undefined {
  if (!list || list.length === 0) return undefined;
  return list.slice(0, PLATFORMS_MAX).map(short);
}
