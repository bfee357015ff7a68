import { createHash } from "node:crypto";
import { SigningError } from "./errors.ts";
import type { PackageBytes, SealKeeper } from "./ports.ts";
import type { Named, Seal, Sealer } from "./sealer.ts";
import { decodePlan } from "./splice/plan-codec.ts";
import { spliced } from "./splice/splice-plan.ts";

export type ServedFile = PackageBytes & {
  /** Strong, without quotes; changes whenever the served bytes change. */
  readonly etag: string;
};

/** The signed file, read from the received one as it is asked for. Throws a SigningError. */
export function openSealed(
  source: PackageBytes & { readonly sha256: string },
  seal: Pick<Seal, "plan" | "size">,
): ServedFile {
  const plan = decodePlan(seal.plan);
  if (plan.sourceSize !== source.size) {
    throw new SigningError("splice-plan", "The seal belongs to a file of another size.");
  }
  const signed = spliced(source, plan);
  if (signed.size !== seal.size) {
    throw new SigningError("splice-plan", "The seal's plan and its size do not agree.");
  }
  const planDigest = createHash("sha256").update(seal.plan).digest("hex").slice(0, 16);
  return { ...signed, etag: `${source.sha256}-${planDigest}` };
}

export type OnDemandSealing = (
  source: PackageBytes & { readonly sha256: string },
  named: Named,
) => Promise<Seal | undefined>;

/**
 * Seals a stored package when it is first asked for. Requests of this process share one signing;
 * the keeper makes sure that everybody else gets the same bytes. Undefined when it is to be served
 * as it is; `report` is told why.
 */
export function createOnDemandSealing(options: {
  readonly sealer: Pick<Sealer, "sealOnDownload">;
  readonly keeper: SealKeeper<Seal>;
  readonly report: (warning: string, named: Named) => void;
}): OnDemandSealing {
  const running = new Map<string, Promise<Seal | undefined>>();
  const sealOnce: OnDemandSealing = async (source, named) => {
    const outcome = await options.sealer.sealOnDownload(source, named);
    if (outcome.status === "sealed") {
      return options.keeper.keep({ ...named, sha256: source.sha256 }, outcome.seal);
    }
    const reason = outcome.status === "unsealed" ? outcome.warning : outcome.reason;
    options.report(reason ?? "Not signed.", named);
    return undefined;
  };
  return (source, named) => {
    const key = `${named.id}/${named.version}/${source.sha256}`;
    const shared = running.get(key);
    if (shared) return shared;
    const mine = sealOnce(source, named).finally(() => running.delete(key));
    running.set(key, mine);
    return mine;
  };
}

/** What a download needs to know to be served signed. */
export type SealablePackage = Named & {
  readonly blob: { readonly sha256: string };
  readonly seal?: Seal;
};

/** A wrapper of whatever opens stored packages: the same packages, signed. */
export function signedContent<Found extends SealablePackage>(
  stored: { open(found: Found): Promise<ServedFile> },
  sealOnDemand: OnDemandSealing,
): { open(found: Found): Promise<ServedFile> } {
  return {
    async open(found) {
      const plain = await stored.open(found);
      const source = {
        size: plain.size,
        sha256: found.blob.sha256,
        read: (range?: { readonly start: number; readonly end: number }) => plain.read(range),
      };
      const { id, version } = found;
      const seal = found.seal ?? (await sealOnDemand(source, { id, version }));
      return seal ? openSealed(source, seal) : plain;
    },
  };
}
