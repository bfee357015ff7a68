import type { Database } from "@sealhouse/database";
import type { RetentionPorts } from "@sealhouse/nuget-protocol";
import type { TagRetentionPorts } from "@sealhouse/oci-distribution";

type Sources = Pick<Database, "events"> & {
  readonly nuget: Pick<Database["nuget"], "retention" | "recorder">;
};

/** The ports of the retention of NuGet packages. */
export function retentionPorts({ nuget, events }: Sources): RetentionPorts {
  return {
    packages: nuget.retention,
    recorder: nuget.recorder,
    completed: (summary, caller) =>
      events.record([
        { type: "retention.completed", subject: "nuget", caller, detail: { ...summary } },
      ]),
  };
}

/** The ports of the retention of tags. */
export function tagRetentionPorts({
  oci,
  events,
}: Pick<Database, "events" | "oci">): TagRetentionPorts {
  return {
    manifests: oci.manifests,
    tags: oci.tags,
    completed: (summary, caller) =>
      events.record([
        { type: "retention.completed", subject: "oci", caller, detail: { ...summary } },
      ]),
  };
}
