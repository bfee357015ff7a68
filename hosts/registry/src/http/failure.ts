import { errorCodeOf } from "@sealhouse/http-responses";
import type {
  BodyError,
  NameTakenError,
  NewNameError,
  TokenEndedError,
} from "@sealhouse/http-responses";
import type { Failure } from "@sealhouse/http-server";
import type { StorageErrorCode } from "@sealhouse/storage-providers";
import { unavailability } from "./unavailable.ts";

const TOO_LARGE = { status: 413, text: "The body is too large." } as const;

/** Errors that the client or the operator can do something about, by their codes; without a text,
 * the error's own message is for clients. */
const FAILURES: Readonly<
  Partial<
    Record<
      | BodyError["code"]
      | NameTakenError["code"]
      | NewNameError["code"]
      | StorageErrorCode
      | TokenEndedError["code"],
      Pick<Failure, "status"> & Partial<Failure>
    >
  >
> = {
  "body-too-large": TOO_LARGE,
  "body-too-slow": { status: 408 },
  "new-name-refused": { status: 403 },
  "name-taken": { status: 403 },
  "token-ended": { status: 403 },
  "storage-too-large": TOO_LARGE,
};

/** Returns the answer to an error that no protocol handles. */
export function failureOf(error: unknown): Failure {
  const away = unavailability(error);
  if (away) return { status: away.isLost ? 404 : 503, ...away };
  const code = errorCodeOf(error);
  const failure = new Map(Object.entries(FAILURES)).get(code ?? "");
  if (failure && error instanceof Error) return { text: error.message, ...failure };
  return { status: 500, text: "Internal error; see the registry's log." };
}
