import type { Context } from "../../schema/contexts.ts";
import * as auditTimes from "./catalog/Migration20261125050000_audit_times.ts";
import * as npmPublishedTags from "./catalog/Migration20261125070000_npm_published_tags.ts";
import * as preparedCertificates from "./catalog/Migration20261125080000_prepared_certificates.ts";
import * as history from "./catalog/Migration20261125090000_history.ts";
import * as schemaLevel from "./catalog/Migration20261125100000_schema_level.ts";
import * as upstreamSources from "./catalog/Migration20261126072328_upstream_sources.ts";
import * as registryIdentity from "./catalog/Migration20261126074500_registry_identity.ts";
import * as upstreamCertificates from "./catalog/Migration20261126080000_upstream_certificates.ts";
import * as policyRules from "./catalog/Migration20261126083000_policy_rules.ts";
import * as promotion from "./catalog/Migration20261126111241_promotion.ts";
import * as keptContents from "./catalog/Migration20261126115500_kept_contents.ts";
import * as eventQueues from "./catalog/Migration20261126120800_event_queues.ts";
import * as namesOfOwners from "./catalog/Migration20261126143052_people_and_owners.ts";
import * as releaseContents from "./catalog/Migration20261126143235_release_contents.ts";
import * as ownersMode from "./catalog/Migration20261126145128_owners_mode.ts";
import * as webhookNames from "./catalog/Migration20261126182436_webhook_names.ts";
import * as catalogNames from "./catalog/Migration20261126183500_catalog_names.ts";
import * as knownOrganization from "./catalog/Migration20261126191500_known_organization.ts";
import * as offerMakers from "./catalog/Migration20261126194000_offer_makers.ts";
import * as nugetDownloadedAt from "./catalog/Migration20261128145308_nuget_downloaded_at.ts";
import * as signInFailures from "./identity/Migration20261126010000_sign_in_failures.ts";
import * as people from "./identity/Migration20261126143052_people_and_owners.ts";
import * as publishPolicies from "./identity/Migration20261126150500_publish_policies.ts";
import * as signInNetworks from "./identity/Migration20261126164310_sign_in_networks.ts";
import * as secondFactors from "./identity/Migration20261126184500_second_factors.ts";
import * as confirmations from "./identity/Migration20261128145318_confirmations.ts";
import type { SharedMigration } from "./shared-migration.ts";

/** Migrations of all databases, after those of each one; in the order of `names.ts`. */
export const SHARED: Readonly<Record<Context, readonly SharedMigration[]>> = {
  catalog: [
    auditTimes.Migration20261125050000_audit_times,
    npmPublishedTags.Migration20261125070000_npm_published_tags,
    preparedCertificates.Migration20261125080000_prepared_certificates,
    history.Migration20261125090000_history,
    schemaLevel.Migration20261125100000_schema_level,
    upstreamSources.Migration20261126072328_upstream_sources,
    registryIdentity.Migration20261126074500_registry_identity,
    upstreamCertificates.Migration20261126080000_upstream_certificates,
    policyRules.Migration20261126083000_policy_rules,
    promotion.Migration20261126111241_promotion,
    keptContents.Migration20261126115500_kept_contents,
    eventQueues.Migration20261126120800_event_queues,
    namesOfOwners.Migration20261126143052_people_and_owners,
    releaseContents.Migration20261126143235_release_contents,
    ownersMode.Migration20261126145128_owners_mode,
    webhookNames.Migration20261126182436_webhook_names,
    catalogNames.Migration20261126183500_catalog_names,
    knownOrganization.Migration20261126191500_known_organization,
    offerMakers.Migration20261126194000_offer_makers,
    nugetDownloadedAt.Migration20261128145308_nuget_downloaded_at,
  ],
  identity: [
    signInFailures.Migration20261126010000_sign_in_failures,
    people.Migration20261126143052_people_and_owners,
    publishPolicies.Migration20261126150500_publish_policies,
    signInNetworks.Migration20261126164310_sign_in_networks,
    secondFactors.Migration20261126184500_second_factors,
    confirmations.Migration20261128145318_confirmations,
  ],
};
