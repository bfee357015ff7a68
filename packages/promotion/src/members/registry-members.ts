import type { Protocol } from "@sealhouse/request-types";
import type { VersionChoice } from "../group/choose-version.ts";
import type { MemberContents } from "../publishers/contents.ts";
import type { MemberCatalog } from "../group/ports.ts";
import type { ReleaseMember } from "../model/release.ts";
import { describeImage, imageVersions, openImage } from "./image-members.ts";
import type { ImageMemberPorts } from "./image-members.ts";
import { describeNpm, npmVersions, npmWithdrawal, openNpm } from "./npm-members.ts";
import type { NpmMemberPorts } from "./npm-members.ts";
import { describeNuGet, nugetVersions, nugetWithdrawal, openNuGet } from "./nuget-members.ts";
import type { NuGetMemberPorts } from "./nuget-members.ts";

/** The registry that releases take their members from. */
export type MemberPorts = {
  readonly names: MemberCatalog["names"];
  readonly nuget: NuGetMemberPorts;
  readonly npm: NpmMemberPorts;
  readonly oci: ImageMemberPorts;
};

/** The packages and images of a registry, as a release chooses among them and reads them. */
export function registryMembers(ports: MemberPorts): {
  readonly catalog: MemberCatalog;
  readonly contents: MemberContents;
} {
  const versions = (protocol: Protocol, name: string): Promise<readonly VersionChoice[]> => {
    switch (protocol) {
      case "nuget":
        return nugetVersions(ports.nuget, name);
      case "npm":
        return npmVersions(ports.npm, name);
      case "oci":
        return imageVersions(ports.oci, name);
    }
  };
  return {
    catalog: {
      names: (...args) => ports.names(...args),
      versions,
      describe: (protocol, name, choice) => describe(ports, protocol, { name, choice }),
      tagged: (member) => tagged(ports, member),
      withdrawal: (member) => withdrawal(ports, member),
    },
    contents: {
      nuget: (member, content) => openNuGet(ports.nuget, member, content),
      npm: (member) => openNpm(ports.npm, member),
      image: (member) => openImage(ports.oci, member),
    },
  };
}

function describe(
  ports: MemberPorts,
  protocol: Protocol,
  { name, choice }: { readonly name: string; readonly choice: VersionChoice },
): Promise<ReleaseMember | undefined> {
  switch (protocol) {
    case "nuget":
      return describeNuGet(ports.nuget, name, choice);
    case "npm":
      return describeNpm(ports.npm, name, choice);
    case "oci":
      return describeImage(ports.oci, name, choice);
  }
}

async function tagged(
  ports: MemberPorts,
  member: Pick<ReleaseMember, "protocol" | "name" | "tags">,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (member.protocol === "nuget") return found;
  const distTags =
    member.protocol === "npm" ? (await ports.npm.lookup.find(member.name))?.distTags : undefined;
  for (const tag of member.tags) {
    const place =
      member.protocol === "npm"
        ? distTags?.[tag]
        : (await openImage(ports.oci, member).manifest(tag, {}))?.digest;
    if (place !== undefined) found.set(tag, place);
  }
  return found;
}

/** A tag of an image may move: its frozen digest stays, as long as the image is there. */
async function withdrawal(ports: MemberPorts, member: ReleaseMember): Promise<string | undefined> {
  switch (member.protocol) {
    case "nuget":
      return nugetWithdrawal(ports.nuget, member);
    case "npm":
      return npmWithdrawal(ports.npm, member);
    case "oci": {
      const image = await openImage(ports.oci, member).manifest(member.version, {});
      return image ? undefined : "it was deleted";
    }
  }
}
