import { createAdministrationAuthorize, teamGroupProblem } from "@sealhouse/identity";
import type { AdministrationAuthorize, KeyRing } from "@sealhouse/identity";
import type { AdministrationParts, IdempotentAnswers } from "@sealhouse/administration";
import type { Hono } from "hono";
import { loadedApp } from "../http/loaded-app.ts";
import { VERSION } from "../version.ts";
import type { Core } from "./core.ts";

/** Opens the HTTP API of administrators. Its code is loaded by its first request. */
export function openAdministrationApi(core: Core): Hono {
  const { edge, resources, access, unavailable, now, stop, log } = core;
  const { answers, jobs } = resources.database.administration;
  return loadedApp(async () => {
    const { createAdministrationApi, createJobRunner, loadActions } =
      await import("@sealhouse/administration/api");
    const onFailure = ({ job, error }: { readonly job: string; readonly error: unknown }) =>
      log.error({ err: error, job }, "a long action of an administrator failed");
    return createAdministrationApi({
      actions: await loadActions(),
      parts: partsOf(core),
      authorize: authorizeWith(access),
      answers: encryptedAnswers(answers, resources.keyRing),
      runner: createJobRunner({ jobs, now, stop, onFailure }),
      version: VERSION,
      baseOf: (request, env) => edge.contexts.of(request, env).publicAddress.base,
      unavailable,
      now,
    });
  });
}

const ANSWERS_PURPOSE = "administration-answers";

/** Some answers have the value of a token or another secret, which is stored nowhere else. */
function encryptedAnswers(
  answers: IdempotentAnswers,
  keyRing: Pick<KeyRing, "protect" | "unprotect">,
): IdempotentAnswers {
  return {
    async begin(request, now) {
      const begun = await answers.begin(request, now);
      if (begun.status !== "done") return begun;
      const { status, body } = begun.answer;
      const bytes = await keyRing.unprotect(ANSWERS_PURPOSE, Buffer.from(body, "base64"));
      return { status: "done", answer: { status, body: Buffer.from(bytes).toString() } };
    },
    end(request, answer) {
      if (!answer) return answers.end(request, undefined);
      const bytes = keyRing.protect(ANSWERS_PURPOSE, Buffer.from(answer.body));
      return answers.end(request, { ...answer, body: Buffer.from(bytes).toString("base64") });
    },
  };
}

/** A session counts only for requests of our own pages, which browsers mark. */
function authorizeWith({ rules, signIn }: Core["access"]): AdministrationAuthorize {
  const { pageSessions } = signIn;
  const decide = createAdministrationAuthorize({ ...rules, identifyPage: pageSessions.identify });
  return async (request, env, wanted) => {
    const { headers } = request;
    if (headers.get("sec-fetch-site") === "same-origin") {
      const context = rules.contexts.of(request, env);
      await pageSessions.load({ headers, context, mayRotate: false });
    }
    return decide(request, env, wanted);
  };
}

function partsOf({ config, resources, access }: Core): AdministrationParts {
  const { database } = resources;
  return {
    rows: async () => database,
    pepper: async () => access.pepper,
    groupProblem: (text) => teamGroupProblem(text, config.signIn?.provider.name),
  };
}
