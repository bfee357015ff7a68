import { createHash } from "node:crypto";
import {
  createScriptedTarget,
  memberOf,
  openScripted,
} from "../release/scripted-target.test.support.ts";
import type { ReleaseMember } from "../model/release.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import type { MemberFile } from "./contents.ts";
import type { Publisher } from "./publisher.ts";

/** Opens a release of the members to one target, through its real publisher. */
export function releaseTo(
  target: PublishTarget,
  publisher: Publisher,
  members: readonly ReleaseMember[],
) {
  return openScripted([{ ...createScriptedTarget(target.name), target, publisher }], { members });
}

/** A frozen member whose file has these bytes. */
export function memberWith(
  bytes: Uint8Array,
  member: Partial<ReleaseMember> & Pick<ReleaseMember, "protocol" | "name">,
): ReleaseMember {
  const digest = (name: string) => createHash(name).update(bytes).digest("hex");
  const received = { sha256: digest("sha256"), sha512: digest("sha512") };
  return { ...memberOf(member.name), size: bytes.length, received, ...member };
}

export function memberFile(bytes: Uint8Array): MemberFile {
  return {
    size: bytes.length,
    sha512: createHash("sha512").update(bytes).digest("hex"),
    async *read() {
      yield bytes;
    },
  };
}

/** Does a request of a client; tests put something around it. */
export type Around = (request: () => Promise<Response>) => Promise<Response>;

export const directly: Around = (request) => request();

/** Cuts the connection of one request, by number: before the server has it, or its answer. */
export function cutting(number: number, when: "before" | "after") {
  let count = 0;
  const around: Around = async (request) => {
    const isCut = ++count === number;
    if (isCut && when === "before") throw cut();
    const answer = await request();
    if (isCut) throw cut();
    return answer;
  };
  return { around, isReached: () => count >= number };
}

/** Answers requests with an error, from one number to another. */
export function refusing(status: number, from: number, to = from) {
  let count = 0;
  const limits = { to };
  const around: Around = async (request) => {
    count += 1;
    return count >= from && count <= limits.to ? Response.json({}, { status }) : request();
  };
  return {
    around,
    isReached: () => count >= from,
    /** No later request is refused. */
    end: () => void (limits.to = 0),
  };
}

function cut(): TypeError {
  return new TypeError("fetch failed", { cause: new Error("socket hang up") });
}
