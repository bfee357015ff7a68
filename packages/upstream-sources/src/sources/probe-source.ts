import { isCallError } from "@sealhouse/http-responses/outgoing";
import type { Fetch } from "@sealhouse/http-responses/outgoing";
import type { NpmClient } from "@sealhouse/npm-protocol/client";
import type { NuGetClient } from "@sealhouse/nuget-protocol/client";
import type { OciClient } from "@sealhouse/oci-distribution/client";
import type { PackageSource } from "./package-source.ts";
import { isUnreadableAnswer } from "../unreadable-answer.ts";
import { readOnePackage } from "./probe-nuget.ts";
import { openSourceClient } from "./source-clients.ts";
import type { SourceClient } from "./source-clients.ts";

/** Result of a test of a source. */
export type ProbeReport = {
  readonly outcome: "works" | "failed";
  /** HTTP status of the last answer; undefined without an answer. */
  readonly status?: number;
  readonly durationMs: number;
  /** Parts of the protocol that the source offers. */
  readonly capabilities: readonly string[];
  /** Why it does not work, for people. */
  readonly problem?: string;
  /** Remarks on what clients will miss although it works, for people. */
  readonly remarks?: readonly string[];
};

/** Dependencies of `probeSource`. */
export type ProbeParts = {
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  /** Milliseconds of a clock that only increases. */
  readonly clock: () => number;
};

/** Asks a source for its offers, and a NuGet feed for one package. Reports no content of an
 * answer. */
export async function probeSource(
  source: PackageSource,
  { fetch, signal, clock }: ProbeParts,
): Promise<ProbeReport> {
  let status: number | undefined;
  const observed: Fetch = async (url, init) => {
    const response = await fetch(url, init);
    ({ status } = response);
    return response;
  };
  const startedAt = clock();
  const found = await outcomeOf(() => foundBy(openSourceClient(source, observed), signal));
  return {
    ...found,
    durationMs: Math.round(clock() - startedAt),
    ...(status !== undefined && { status }),
  };
}

type Found = Pick<ProbeReport, "outcome" | "capabilities" | "problem" | "remarks">;

async function outcomeOf(ask: () => Promise<Found>): Promise<Found> {
  try {
    return await ask();
  } catch (error) {
    if (!isCallError(error)) throw error;
    return { outcome: "failed", capabilities: [], problem: error.message };
  }
}

function foundBy(opened: SourceClient, signal: AbortSignal): Promise<Found> {
  switch (opened.protocol) {
    case "nuget":
      return ofNuGet(opened.client, signal);
    case "npm":
      return ofNpm(opened.client, signal);
    case "oci":
      return ofOci(opened.client, signal);
  }
}

const RESOURCES = [
  "content",
  "registration",
  "search",
  "autocomplete",
  "signatures",
  "vulnerabilities",
  "readme",
  "catalog",
] as const;

async function ofNuGet(client: NuGetClient, signal: AbortSignal): Promise<Found> {
  const offered: string[] = [];
  for (const name of RESOURCES) {
    if ((await client.resource(name, { signal })) !== undefined) offered.push(name);
  }
  if (!offered.includes("content")) {
    const problem = "The feed does not offer PackageBaseAddress/3.0.0, from which packages come.";
    return { outcome: "failed", capabilities: offered, problem };
  }
  const { remarks, problem } = await readOnePackage(client, signal);
  return {
    outcome: problem === undefined ? "works" : "failed",
    capabilities: offered,
    ...(problem !== undefined && { problem }),
    ...(remarks.length > 0 && { remarks }),
  };
}

async function ofNpm(client: NpmClient, signal: AbortSignal): Promise<Found> {
  try {
    const keys = await client.keys({ signal });
    return works(keys && keys.length > 0 ? ["packages", "signatures"] : ["packages"]);
  } catch (error) {
    if (!isUnreadableAnswer(error) || error.code !== "status") throw error;
    // Some registries answer 400 to the question for keys that they do not have.
    return { ...works(["packages"]), remarks: [`It has no keys of signatures. ${error.message}`] };
  }
}

async function ofOci(client: OciClient, signal: AbortSignal): Promise<Found> {
  const authentication = await client.ping({ signal });
  return works(["images", `authentication: ${authentication}`]);
}

function works(capabilities: readonly string[]): Found {
  return { outcome: "works", capabilities };
}
