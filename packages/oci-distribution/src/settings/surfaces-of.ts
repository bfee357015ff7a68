import type { Surface } from "../gc/ports.ts";
import type { OciConfig } from "./parse-oci.ts";

type Served = {
  readonly hasDefault: OciConfig["hasDefault"];
  readonly segments: readonly { readonly name: string }[];
};

/** The parts of the OCI registry that are collected, counted and reported separately. */
export function surfacesOf(oci: Served): readonly Surface[] {
  const segments = segmentNames(oci);
  const surfaces = segments.map((segment) => ({ name: segment, segment }));
  return oci.hasDefault ? [{ name: "default", notUnder: segments }, ...surfaces] : surfaces;
}

export function segmentNames({ segments }: Pick<Served, "segments">): readonly string[] {
  return segments.map(({ name }) => name);
}
