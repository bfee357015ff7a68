import type { Fetch } from "@sealhouse/http-responses/outgoing";
import { strangePushAddress } from "../publishers/nuget-publisher.ts";
import { repositoryAtTarget } from "../publishers/oci-publisher.ts";
import type { TargetProbe } from "../publishers/publisher.ts";
import { settle } from "../publishers/settle.ts";
import type { Failure } from "../publishers/settle.ts";
import { withoutSecrets } from "./hide-secrets.ts";
import { npmClient, nugetClient, ociClient } from "./open-publisher.ts";
import type { PublishTarget } from "../model/publish-target.ts";

/** Name of the repository that a test of a registry of images begins an upload in. */
const PROBE_REPOSITORY = "sealhouse-probe";

/**
 * Asks a target whether it is reachable and takes the credentials, and publishes nothing.
 * `repository`: of a registry of images, where an upload is begun and abandoned, which proves write
 * access; some registries create repositories when they are asked.
 */
export async function probeTarget(
  target: PublishTarget,
  { fetch, repository }: { readonly fetch: Fetch; readonly repository?: string },
  signal: AbortSignal,
): Promise<TargetProbe> {
  if (target.hasLostCredentials) {
    return { status: "unauthorized", words: "The key ring cannot decrypt its credentials." };
  }
  if (target.credentials?.type === "lent" && target.protocol !== "nuget") return LENT;
  return withoutSecrets(target, await probe(target, { fetch, repository }, signal));
}

function probe(
  target: PublishTarget,
  { fetch, repository }: { readonly fetch: Fetch; readonly repository: string | undefined },
  signal: AbortSignal,
): Promise<TargetProbe> {
  switch (target.protocol) {
    case "nuget":
      return probeNuGet(target, fetch, signal);
    case "npm":
      return probeNpm(target, fetch, signal);
    case "oci":
      return probeOci(target, { fetch, repository }, signal);
  }
}

/** Without a key, these registries answer nothing that helps. */
const LENT: TargetProbe = {
  status: "unproven",
  words:
    "It was not asked, because each release brings its key. To ask with one: " +
    "--package npm:NAME --lend TARGET=VARIABLE.",
};

async function probeNuGet(
  target: PublishTarget,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<TargetProbe> {
  const { client, hasIndex } = nugetClient(target, fetch);
  if (!hasIndex) {
    return { status: "unproven", words: "A push address can only be tested by a push." };
  }
  const push = await settle(
    async () => ({ url: await client.resource("push", { signal }) }),
    signal,
  );
  if ("status" in push) return refused(push);
  if (push.url === undefined) {
    return { status: "refused", words: "It is a static feed, which takes no packages." };
  }
  const strange = strangePushAddress(target, push.url);
  if (strange !== undefined) return { status: "refused", words: `Refused: ${strange}.` };
  return {
    status: "unproven",
    words: `It takes packages at ${push.url}. Write access cannot be proved without publishing.`,
  };
}

async function probeNpm(
  target: PublishTarget,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<TargetProbe> {
  const client = npmClient(target, fetch);
  const who = await settle(async () => ({ name: await client.whoami({ signal }) }), signal);
  if ("status" in who) return refused(who);
  const name = who.name === undefined ? "an unknown account" : who.name;
  return {
    status: "unproven",
    words: `It knows the token as ${name}. Write access cannot be proved without publishing.`,
  };
}

async function probeOci(
  target: PublishTarget,
  { fetch, repository }: { readonly fetch: Fetch; readonly repository: string | undefined },
  signal: AbortSignal,
): Promise<TargetProbe> {
  const client = ociClient(target, fetch);
  const ping = await settle(async () => ({ way: await client.ping({ signal }) }), signal);
  if ("status" in ping) return refused(ping);
  const name = repositoryAtTarget(target, repository ?? PROBE_REPOSITORY);
  const tried = await settle(async () => client.repository(name).tryUpload({ signal }), signal);
  if (tried) return refused(tried);
  return { status: "ready", words: `An upload to ${name} was begun and abandoned.` };
}

function refused({ status, reason }: Failure): TargetProbe {
  return { status, words: reason };
}
