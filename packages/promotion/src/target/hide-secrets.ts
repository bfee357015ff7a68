import type { Publisher, TargetProbe } from "../publishers/publisher.ts";
import type { PublishTarget } from "../model/publish-target.ts";

/** Shorter ones would make texts unreadable, and are found by guessing. */
const LENGTH_MIN = 6;

type WithCredentials = Pick<PublishTarget, "credentials">;

/**
 * Returns a publisher whose reasons and remarks are without the credentials of the target: some
 * servers repeat what they were sent, and these texts go to the audit log, to mail and to webhooks.
 */
export function hidingSecrets(target: WithCredentials, publisher: Publisher): Publisher {
  const hide = hiderOf(target);
  return {
    ...publisher,
    check: async (...sent) => hide(await publisher.check(...sent)),
    carry: async (...sent) => hide(await publisher.carry(...sent)),
    publish: async (...sent) => hide(await publisher.publish(...sent)),
    look: async (...sent) => hide(await publisher.look(...sent)),
    point: async (...sent) => hide(await publisher.point(...sent)),
    undo: async (...sent) => hide(await publisher.undo(...sent)),
  };
}

/** Returns the answer of a test of a target without its credentials. */
export function withoutSecrets(target: WithCredentials, probe: TargetProbe): TargetProbe {
  return hiderOf(target)(probe);
}

const TEXTS: ReadonlySet<string> = new Set(["reason", "remark", "words"]);

function hiderOf(target: WithCredentials): <T extends object>(outcome: T) => T {
  const secrets = secretsOf(target).filter(({ length }) => length >= LENGTH_MIN);
  const shown = (text: string) =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
  return (outcome) => {
    const hidden = Object.entries(outcome).map(([name, value]): [string, unknown] => [
      name,
      TEXTS.has(name) && typeof value === "string" ? shown(value) : value,
    ]);
    return { ...outcome, ...Object.fromEntries(hidden) };
  };
}

function secretsOf({ credentials }: WithCredentials): readonly string[] {
  switch (credentials?.type) {
    case "api-key":
      return [credentials.key];
    case "bearer":
      return [credentials.token, base64(`token:${credentials.token}`)];
    case "basic": {
      const { username, password } = credentials;
      return [password, base64(`${username}:${password}`)];
    }
    default:
      return [];
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
