import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createCompletedImages } from "./completed-images.ts";
import { createGroupRows } from "./group-rows.ts";
import { createHeldContents } from "./held-contents.ts";
import { createLentKeyRows } from "./lent-key-rows.ts";
import { createReleaseLanes } from "./release-lanes.ts";
import { createReleaseControl, createReleaseRows, createStatementRows } from "./release-rows.ts";
import { createSyndicationRows } from "./syndication-rows.ts";
import { createTargetRows } from "./target-rows.ts";

export function createPromotionPorts(context: PortContext): Database["promotion"] {
  return {
    targets: createTargetRows(context),
    groups: createGroupRows(context),
    syndications: createSyndicationRows(context),
    releases: createReleaseRows(context),
    control: createReleaseControl(context),
    statements: createStatementRows(context),
    held: createHeldContents(context),
    lanes: createReleaseLanes(context),
    lentKeys: createLentKeyRows(context),
    completed: (endpoint) => createCompletedImages(context, endpoint),
  };
}
