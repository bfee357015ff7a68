import type { KeyManagementServiceClient } from "@google-cloud/kms";
import type * as googleGax from "google-gax";
import { untilAborted } from "@sealhouse/repo-signing";
import { KmsError } from "./kms-error.ts";

/** Where Cloud KMS answers; without `url` at Google's public address. */
export type Endpoint = { readonly transport: "grpc" | "rest"; readonly url?: URL };

/** A service account, as its key file has it. */
export type ServiceAccount = { readonly email: string; readonly privateKey: string };

type Gax = typeof googleGax;

const SCOPES = ["https://www.googleapis.com/auth/cloudkms"];

/**
 * Loads Google's client, which takes a second and 90 MB of files, and finds credentials for it.
 * Nothing is asked of Cloud KMS yet.
 *
 * @throws KmsError when there are no credentials
 */
export async function openKmsClient(options: {
  readonly endpoint: Endpoint;
  /** Undefined = application default credentials. */
  readonly account: ServiceAccount | undefined;
  readonly signal: AbortSignal;
}): Promise<KeyManagementServiceClient> {
  const { endpoint, account, signal } = options;
  const [kms, gax] = await Promise.all([import("@google-cloud/kms"), import("google-gax")]);
  const { url, transport } = endpoint;
  const isPlain = url?.protocol === "http:";
  const authClient = isPlain ? nobody(gax) : account && signedInAs(gax, account);
  const client = new kms.KeyManagementServiceClient(
    {
      fallback: transport === "rest",
      ...(authClient && { auth: new gax.GoogleAuth({ authClient }) }),
      ...(url && { apiEndpoint: url.hostname, port: portOf(url) }),
      ...(isPlain && { protocol: "http", sslCreds: gax.grpc.credentials.createInsecure() }),
    },
    // The very copy that the channel credentials come from.
    gax,
  );
  try {
    // Else the first call does it, and a failure there ends the process as an unhandled rejection.
    await untilAborted(signal, () => client.initialize());
    return client;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KmsError(`There are no credentials for Google Cloud KMS: ${why}`, {
      transient: false,
      retryable: false,
      cause,
    });
  }
}

/** An http address gets no credentials: an attacker on the network could read them. */
function nobody({ googleAuthLibrary }: Gax) {
  return new googleAuthLibrary.PassThroughClient();
}

/** Signs its own tokens, without a request to a token server. */
function signedInAs({ googleAuthLibrary }: Gax, { email, privateKey }: ServiceAccount) {
  const client = new googleAuthLibrary.JWT({ email, key: privateKey, scopes: SCOPES });
  client.useJWTAccessWithScope = true;
  return client;
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "http:" ? 80 : 443;
}
