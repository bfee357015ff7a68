export type {
  NuGetContent,
  PublishMode,
  PublishTarget,
  TargetCredentials,
  TargetOptions,
  TargetPause,
} from "./model/publish-target.ts";
export { TARGET_DEFAULTS, TARGET_NAME, targetNamed } from "./model/publish-target.ts";
export type { TargetParts } from "./target/create-target.ts";
export { createTarget } from "./target/create-target.ts";
export type { TargetPart, TargetProblem } from "./target/target-problems.ts";
export { authoritiesProblems, targetProblems } from "./target/target-problems.ts";
export type { TargetPage, TargetRow, TargetRows } from "./target/ports.ts";
export type { StoredTargets } from "./target/stored-targets.ts";
export { openStoredTargets } from "./target/stored-targets.ts";
export type { OpenFetch } from "./target/target-fetch.ts";
export { openTargetFetch } from "./target/target-fetch.ts";
export type { PublisherParts } from "./target/open-publisher.ts";
export { openPublisher } from "./target/open-publisher.ts";
export type { PackageProbe } from "./target/probe-package.ts";
export { probeTarget } from "./target/probe-target.ts";

export type { LentKeyRow, LentKeyRows, LentPlace } from "./lending/ports.ts";
export type { Loan } from "./lending/lend.ts";
export { isLent } from "./lending/lent-publisher.ts";
export { waitsForKey } from "./lending/needed-key.ts";

export type { GroupMember, PackageGroup, VersionRule } from "./group/package-group.ts";
export { groupNamed } from "./group/package-group.ts";
export type { GroupRows, MemberCatalog } from "./group/ports.ts";
export { memberText, parseMember, parseVersionRule, ruleText } from "./group/parse-member.ts";
export type { VersionChoice } from "./group/choose-version.ts";
export { chooseVersion } from "./group/choose-version.ts";
export type { ResolvedMembers } from "./group/resolve-group.ts";
export type { ChosenMember } from "./group/choose-members.ts";
export { MEMBERS_MAX } from "./group/choose-members.ts";
export { resolveGroup } from "./group/resolve-group.ts";

export type {
  FileDigests,
  ItemState,
  Release,
  ReleaseItem,
  ReleaseMember,
  ReleaseState,
  ServedDigests,
  StoredRelease,
  TargetBefore,
} from "./model/release.ts";
export { END_STATES, memberLabel, membersOf, PUBLISHED_STATES } from "./model/release.ts";
export type {
  NewRelease,
  OpenedRelease,
  ReleaseControl,
  ReleaseLanes,
  ReleaseQuery,
  ReleaseRows,
  ReleaseStep,
  StatementRows,
} from "./release/ports.ts";
export type { ReleaseParts } from "./release/release-parts.ts";
export type { ReleasePlan } from "./release/freeze-release.ts";
export { itemsOf } from "./release/freeze-release.ts";
export { isResumable, resumedRelease } from "./release/resumed.ts";
export { releasesJob } from "./release/releases-job.ts";
export { runRelease } from "./release/run-release.ts";
export type { ReleaseWatch } from "./release/watch-releases.ts";
export { watchReleases } from "./release/watch-releases.ts";

export type { MemberContents, MemberFile, NpmMember, NuGetMember } from "./publishers/contents.ts";
export type { CompletedImages } from "./publishers/oci-publisher.ts";
export type {
  Finding,
  Found,
  OutgoingItem,
  Publisher,
  SendOutcome,
  TargetProbe,
  Undone,
  Unsettled,
} from "./publishers/publisher.ts";

export { bundleOf, statementFiles } from "./statement/statement-artifact.ts";
export { purlOf } from "./statement/purl.ts";
export type { SignedStatement, StatementSurroundings } from "./statement/release-statement.ts";
export { releaseStatement, STATEMENT_TYPE } from "./statement/release-statement.ts";
export type { StatementKey } from "./statement/sign-statement.ts";
export { signStatement } from "./statement/sign-statement.ts";
export type { StatementVerdict } from "./statement/verify-statement.ts";
export { OUTCOME_TYPE, outcomeStatement } from "./statement/outcome-statement.ts";
export {
  verifyOutcome,
  verifyReleaseStatement,
  verifyStatement,
} from "./statement/verify-statement.ts";

export type { SyndicationRows } from "./syndication/ports.ts";
export type { SyndicationParts } from "./syndication/syndication-consumer.ts";
export { syndicateEvents, syndicationConsumer } from "./syndication/syndication-consumer.ts";
export type {
  Syndication,
  SyndicationFilter,
  SyndicationSource,
  Upload,
} from "./syndication/syndication.ts";
export { isSyndicated } from "./syndication/syndication.ts";

export { ChangedContentError } from "./members/verified-file.ts";
export type { HeldContents } from "./members/held-contents.ts";
export type { ImageMemberPorts } from "./members/image-members.ts";
export type { NpmMemberPorts } from "./members/npm-members.ts";
export type { NuGetMemberPorts } from "./members/nuget-members.ts";
export { namesCovered } from "./members/own-names.ts";
export type { MemberPorts } from "./members/registry-members.ts";
export { registryMembers } from "./members/registry-members.ts";
export type { PlannedItem, PromotionPlan } from "./release/plan-release.ts";
export type { PromotionRequest } from "./release/promotion-request.ts";
export type { Promotion, PromotionParts } from "./open-promotion.ts";
export { openPromotion } from "./open-promotion.ts";
