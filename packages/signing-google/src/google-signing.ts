import { createRemoteSigner, SigningError } from "@sealhouse/repo-signing";
import type { Signer, SigningExtension, SigningMode } from "@sealhouse/repo-signing";
import type { KeyRules, OpenKey } from "./open-key.ts";
import { openKey } from "./open-key.ts";
import type { ModeValues } from "./settings.ts";
import { certificatesOf, segmentOf, settingsOf, textOf } from "./settings.ts";

const CALL_TIMEOUT_MS = 5_000;

/** Opens nothing and loads nothing of Google's before a mode is opened. */
export function googleSigning(
  options: {
    /** Of one call of Cloud KMS, of which a signature may take several; default 5,000. */
    readonly callTimeoutMs?: number;
  } = {},
): SigningExtension {
  const { callTimeoutMs = CALL_TIMEOUT_MS } = options;
  return {
    name: "@sealhouse/signing-google",
    signingModes: { GcpKms: gcpKms(callTimeoutMs), GcpHsm: gcpHsm(callTimeoutMs) },
  };
}

function gcpKms(callTimeoutMs: number): SigningMode {
  const section = "Signing__GcpKms";
  return {
    settings: {
      ...settingsOf(section),
      [`${section}__ProtectionLevel`]: {
        kind: { type: "choice", values: ["Software", "Hsm"] },
        fallback: "Hsm",
        about: "Protection level that the key version must have.",
      },
    },
    open(context) {
      const values = { section, context } as const;
      const software = textOf(values, "ProtectionLevel") === "Software";
      return openSigner(values, callTimeoutMs, {
        protectionLevel: software ? "SOFTWARE" : "HSM",
        levelSetting: "ProtectionLevel",
      });
    },
  };
}

function gcpHsm(callTimeoutMs: number): SigningMode {
  const section = "Signing__GcpHsm";
  return {
    settings: {
      ...settingsOf(section),
      [`${section}__ClusterName`]: {
        kind: { type: "text" },
        required: true,
        about: "Name of the single-tenant HSM instance that the key must live in.",
      },
    },
    async open(context) {
      const values = { section, context } as const;
      return openSigner(values, callTimeoutMs, {
        protectionLevel: "HSM_SINGLE_TENANT",
        levelSetting: "KeyName",
        instance: segmentOf(values, "ClusterName"),
      });
    },
  };
}

async function openSigner(
  values: ModeValues,
  callTimeoutMs: number,
  rules: KeyRules,
): Promise<Signer & AsyncDisposable> {
  const chain = await certificatesOf(values);
  await using opened = new AsyncDisposableStack();
  const key = opened.use(await openKey(values, { rules, callTimeoutMs }));
  const signer = signerOf(key, chain, values);
  if (key.algorithm.scheme === "pss") {
    values.context.warn(
      `${key.version} makes RSASSA-PSS signatures, which some NuGet clients may refuse; ` +
        "a key for RSA_SIGN_PKCS1 is the safe choice",
    );
  }
  const owned = opened.move();
  return { ...signer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function signerOf(key: OpenKey, chain: readonly Uint8Array[], { section }: ModeValues): Signer {
  const { service, version, publicKey, algorithm } = key;
  const { hash, scheme } = algorithm;
  try {
    return createRemoteSigner({
      chain,
      hash,
      scheme,
      publicKey,
      keyName: `key version ${version}`,
      signDigest: (digest, signal) => service.sign(version, digest, { hash, signal }),
    });
  } catch (error) {
    if (key.pinned || !(error instanceof SigningError)) throw error;
    throw new SigningError(
      error.problem,
      `${error.message} That version is the newest; ${section}__KeyVersion names an older one ` +
        "until the certificate of the new one is there.",
      { cause: error },
    );
  }
}
