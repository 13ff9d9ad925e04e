import type { Type } from '@nestjs/common';
import { AccountViewsController } from './account-views.controller.ts';
import { AlertsController } from './alerts.controller.ts';
import { BillingController } from './billing.controller.ts';
import { ContentController } from './content.controller.ts';
import { FilesController } from './files.controller.ts';
import { KeysController } from './keys.controller.ts';
import { LinksController } from './links.controller.ts';
import { MailboxController } from './mailbox.controller.ts';
import { MembersController } from './members.controller.ts';
import { NamesController } from './names.controller.ts';
import { NetworksController } from './networks.controller.ts';
import { OperatorController } from './operator.controller.ts';
import { OperatorNetworkController } from './operator-network.controller.ts';
import { OverviewController } from './overview.controller.ts';
import { PasskeysController } from './passkeys.controller.ts';
import { PinRequestsController } from './pin-requests.controller.ts';
import { RequestsController } from './requests.controller.ts';
import { ResumableUploadsController } from './resumable-uploads.controller.ts';
import { ServingController } from './serving.controller.ts';
import { SessionsController } from './sessions.controller.ts';
import { SignInController } from './sign-in.controller.ts';
import { SingleSignOnController } from './single-sign-on.controller.ts';
import { StatusController } from './status.controller.ts';
import { UploadsController } from './uploads.controller.ts';
import { WebhookController } from './webhook.controller.ts';

/** The whole API. */
export const controllers: Type[] = [
  SignInController,
  SingleSignOnController,
  PasskeysController,
  SessionsController,
  MailboxController,
  MembersController,
  OverviewController,
  RequestsController,
  AlertsController,
  KeysController,
  FilesController,
  ContentController,
  UploadsController,
  ResumableUploadsController,
  PinRequestsController,
  WebhookController,
  ServingController,
  LinksController,
  NamesController,
  NetworksController,
  StatusController,
  BillingController,
  OperatorController,
  AccountViewsController,
  OperatorNetworkController,
];
