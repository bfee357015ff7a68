import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { grpc, GrpcClient } from "google-gax";
import type { KmsMethod, KmsRequest, KmsState, KmsStatus, TestVersion } from "./kms-answers.ts";
import { kmsAnswer, KmsRefusal } from "./kms-answers.ts";
import { restAnswer, restCall } from "./rest-wire.ts";

/** A call as it arrived. */
export type KmsCall = {
  readonly method: KmsMethod;
  readonly request: KmsRequest;
  /** The caller by the header of the request. */
  readonly authorization: string | undefined;
};

/** Speaks Cloud KMS on the wire and holds real keys, in place of the service of Google. */
export type GoogleKmsStandIn = AsyncDisposable &
  KmsState & {
    /** Where it is, by the names of the settings. */
    readonly settings: { readonly ServiceUrl: string; readonly Transport: "Grpc" | "Rest" };
    readonly calls: readonly KmsCall[];
  };

export type StandInOptions = {
  readonly transport: "grpc" | "rest";
  /** By number. */
  readonly versions: Iterable<readonly [number, TestVersion]>;
  /** PEM; https when given. */
  readonly tls?: { readonly key: string; readonly cert: string };
};

export async function openGoogleKmsStandIn(options: StandInOptions): Promise<GoogleKmsStandIn> {
  const calls: KmsCall[] = [];
  const state: KmsState = {
    versions: new Map(options.versions),
    backend: "",
    misbehaviour: undefined,
  };
  const answer: Answer = (call) => {
    calls.push(call);
    return kmsAnswer(state, call.method, call.request);
  };
  const isGrpc = options.transport === "grpc";
  const open = isGrpc ? openGrpc : openRest;
  const { port, close } = await open(answer, options.tls);
  const url = options.tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  const settings = { ServiceUrl: url, Transport: isGrpc ? "Grpc" : "Rest" } as const;
  return Object.assign(state, { settings, calls, [Symbol.asyncDispose]: close });
}

type Answer = (call: KmsCall) => Readonly<Record<string, unknown>> | undefined;
type Opened = { readonly port: number; readonly close: () => Promise<void> };

/** With the very .proto files that Google ships. */
async function openGrpc(answer: Answer, tls: StandInOptions["tls"]): Promise<Opened> {
  const server = new grpc.Server();
  const handler =
    (method: KmsMethod): grpc.handleUnaryCall<KmsRequest, unknown> =>
    (call, callback) => {
      const authorization = call.metadata.get("authorization")[0]?.toString();
      try {
        const answered = answer({ method, request: call.request, authorization });
        if (answered) callback(null, answered);
      } catch (error) {
        const code = grpc.status[statusOf(error)];
        callback({ code, details: error instanceof Error ? error.message : String(error) });
      }
    };
  server.addService(keyManagementService(), {
    getCryptoKey: handler("getCryptoKey"),
    listCryptoKeyVersions: handler("listCryptoKeyVersions"),
    getPublicKey: handler("getPublicKey"),
    asymmetricSign: handler("asymmetricSign"),
  });
  const credentials = tls
    ? grpc.ServerCredentials.createSsl(null, [
        { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) },
      ])
    : grpc.ServerCredentials.createInsecure();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync("127.0.0.1:0", credentials, (error, port) =>
    error ? reject(error) : resolve(port),
  );
  const port = await promise;
  return { port, close: async () => server.forceShutdown() };
}

function keyManagementService(): grpc.ServiceDefinition {
  const home = dirname(createRequire(import.meta.url).resolve("@google-cloud/kms/package.json"));
  const file = "google/cloud/kms/v1/service.proto";
  let node: unknown = new GrpcClient().loadProto(join(home, "build/protos"), file);
  for (const name of ["google", "cloud", "kms", "v1", "KeyManagementService", "service"]) {
    node = Reflect.get(Object(node), name);
  }
  return node as grpc.ServiceDefinition;
}

async function openRest(answer: Answer, tls: StandInOptions["tls"]): Promise<Opened> {
  const listener: RequestListener = async (incoming, outgoing) => {
    const { method, request } = restCall(incoming.url ?? "", await textOf(incoming));
    const send = (status: number, body: unknown) =>
      outgoing.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    try {
      const { authorization } = incoming.headers;
      const answered = answer({ method, request, authorization });
      if (answered) send(200, restAnswer(answered));
    } catch (error) {
      const status = statusOf(error);
      const code = HTTP_STATUS[status] ?? 500;
      const message = error instanceof Error ? error.message : String(error);
      send(code, { error: { code, status, message } });
    }
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const HTTP_STATUS: Partial<Record<KmsStatus, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
};

function statusOf(error: unknown): KmsStatus {
  return error instanceof KmsRefusal ? error.status : "INTERNAL";
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  return (await incoming.setEncoding("utf8").toArray()).join("");
}
