import { createHash } from "node:crypto";
import {
  createScriptedTarget,
  memberOf,
  openScripted,
} from "../release/scripted-target.test.support.ts";
import type { ReleaseMember } from "../release/release.ts";
import type { PublishTarget } from "../target/publish-target.ts";
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
