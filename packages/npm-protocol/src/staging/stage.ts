import { NpmError } from "../errors.ts";
import type { NpmPorts } from "../ports.ts";
import type { PublishUpload, ReceivePorts } from "../publish/publish.ts";
import { keepBytes, receive } from "../publish/publish.ts";
import type { Staging, StagingTerms } from "./ports.ts";

/**
 * Accepts a version of `npm stage publish`, which sends the same body as `npm publish`, with the
 * same checks. It becomes visible only after an approval.
 * @throws NpmError when the protocol or the tarball rules forbid it
 */
export async function stage(
  ports: ReceivePorts & Pick<NpmPorts, "staging">,
  upload: PublishUpload,
  terms: Omit<StagingTerms, "stagedAt">,
): Promise<Staging & { readonly version: string; readonly notices: readonly string[] }> {
  const outcome = await receive(ports, upload, async ({ staged, version: checked, notices }) => {
    const { publishedAt: stagedAt, ...version } = checked;
    const staging = await keepBytes(
      staged,
      (blob) => ports.staging.stage({ ...version, blob }, { ...terms, stagedAt }, upload.caller),
      (ended) => ended.status === "staged" && !ended.isDuplicate,
    );
    return { ...staging, version: version.version, notices };
  });
  if (outcome.status !== "other") return outcome;
  throw new NpmError("document-invalid", "The body has no tarball in _attachments.");
}
