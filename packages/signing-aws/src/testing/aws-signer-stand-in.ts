import { STAND_IN_ACCOUNT } from "./aws-kms-stand-in.ts";
import type { StandInAnswer } from "./http-stand-in.ts";
import { startStandIn } from "./http-stand-in.ts";
import { authorizationProblem } from "./sigv4.ts";
import type { StandInAccount } from "./sigv4.ts";

export type AwsSignerStandIn = AsyncDisposable & {
  readonly url: string;
  readonly account: StandInAccount & { readonly region: string };
  readonly profileArn: string;
};

const REGION = "eu-west-1";
const NAME = "feed";
const ARN = `arn:aws:signer:${REGION}:111122223333:/signing-profiles/${NAME}`;

/** AWS Signer (REST) with one profile to look at, called `feed`. It is not AWS Signer. */
export async function startAwsSignerStandIn(
  options: { readonly status?: "Active" | "Canceled" | "Revoked"; readonly error?: string } = {},
): Promise<AwsSignerStandIn> {
  const { status = "Active" } = options;
  const server = await startStandIn((request, body) => {
    const expected = { ...STAND_IN_ACCOUNT, region: REGION, service: "signer" };
    const problem = authorizationProblem(request, body, expected) ?? options.error;
    if (problem !== undefined) return error(403, problem);
    if (request.method !== "GET") return error(404, "UnknownOperationException");
    if (request.url !== `/signing-profiles/${NAME}`) {
      return error(404, "ResourceNotFoundException");
    }
    return json(200, {
      profileName: NAME,
      profileVersion: "a1b2c3d4e5",
      profileVersionArn: `${ARN}/a1b2c3d4e5`,
      platformId: "Notation-OCI-SHA384-ECDSA",
      status,
      ...(status !== "Active" && { statusReason: "by the test" }),
      arn: ARN,
    });
  });
  return {
    url: server.url,
    account: { ...STAND_IN_ACCOUNT, region: REGION },
    profileArn: ARN,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function error(status: number, name: string): StandInAnswer {
  return { ...json(status, { message: "by the test" }), headers: { "x-amzn-errortype": name } };
}

function json(status: number, body: unknown): StandInAnswer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
