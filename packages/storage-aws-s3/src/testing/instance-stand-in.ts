import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import { ACCESS_KEY, ROLE_ARN, SECRET_KEY } from "./radosgw.ts";

const ROLE_NAME = "registry";
const TOKEN = "token-of-the-stand-in";
const ROLES_PATH = "/latest/meta-data/iam/security-credentials/";
const CONTAINER_PATH = "/container";

/** A stand-in for the metadata services of a machine of AWS. */
export type InstanceStandIn = AsyncDisposable & {
  /** The variables with which the SDK finds the service of an instance. */
  readonly instance: Readonly<Record<string, string>>;
  /** The variables with which the SDK finds the service of a container. */
  readonly container: Readonly<Record<string, string>>;
  /** Paths of all requests. */
  readonly paths: string[];
};

/**
 * Starts the services. They give temporary credentials of `ROLE_ARN`, which the security token
 * service at `stsUrl` has issued.
 */
export async function startInstanceMetadata(stsUrl: string): Promise<InstanceStandIn> {
  const provider = fromTemporaryCredentials({
    masterCredentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
    params: { RoleArn: ROLE_ARN, RoleSessionName: "instance" },
    clientConfig: { region: "us-east-1", endpoint: stsUrl },
  });
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = await provider();
  const credentials = JSON.stringify({
    Code: "Success",
    Type: "AWS-HMAC",
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration: expiration?.toISOString(),
    LastUpdated: new Date().toISOString(),
  });
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "/");
    answer(request, response, credentials);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    instance: { AWS_EC2_METADATA_SERVICE_ENDPOINT: origin },
    container: { AWS_CONTAINER_CREDENTIALS_FULL_URI: origin + CONTAINER_PATH },
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, credentials: string): void {
  const { method, url, headers } = request;
  if (url === CONTAINER_PATH) {
    response.end(credentials);
  } else if (method === "PUT" && url === "/latest/api/token") {
    response.end(TOKEN);
  } else if (headers["x-aws-ec2-metadata-token"] !== TOKEN) {
    response.writeHead(401).end();
  } else if (url === ROLES_PATH) {
    response.end(ROLE_NAME);
  } else if (url === ROLES_PATH + ROLE_NAME) {
    response.end(credentials);
  } else {
    response.writeHead(404).end();
  }
}
