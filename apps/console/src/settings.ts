import { adminPort, type Settings, type SettingsShape, setting, sharedSettings } from '@cairn/service-kit';

const { integer, oneOf, secret, text, url } = setting;

/** Settings that the console reads beside those of every program. */
export const settingsShape = {
  CONSOLE_PORT: sharedSettings.CONSOLE_PORT,
  CONSOLE_ADMIN_PORT: adminPort('console'),
  STORAGE_API_PORT: sharedSettings.STORAGE_API_PORT,
  RPC_GATEWAY_PORT: sharedSettings.RPC_GATEWAY_PORT,
  IPFS_GATEWAY_PORT: sharedSettings.IPFS_GATEWAY_PORT,
  CONSOLE_TRUSTED_PROXIES: text(
    /^[0-9a-fA-F:.]{2,45}(\/\d{1,3})?(,[0-9a-fA-F:.]{2,45}(\/\d{1,3})?)*$/,
    'addresses and ranges such as 10.0.0.0/8,::1',
  )
    .optional()
    .describe('Proxies whose X-Forwarded-For counts: addresses and ranges. Default: none.'),
  CAIRN_STORAGE_URL: url()
    .optional()
    .describe('Address of the storage API for the console. Default: its port on this machine.'),
  CAIRN_GATEWAY_URL: url()
    .optional()
    .describe('Address of the gateway for the console. Default: its port on this machine.'),
  CAIRN_IPFS_GATEWAY_URL: url()
    .optional()
    .describe('Address of the IPFS gateway for the console. Default: its port on this machine.'),
  CAIRN_PUBLIC_STORAGE_URL: url().optional().describe('Address of the storage API that customers see.'),
  CAIRN_PUBLIC_GATEWAY_URL: url().optional().describe('Address of the gateway that customers see.'),
  CAIRN_PUBLIC_IPFS_GATEWAY_URL: url().optional().describe('Address of the IPFS gateway that customers see.'),
  IPFS_PEER_URL: sharedSettings.IPFS_PEER_URL,
  CAIRN_NETWORKS: sharedSettings.CAIRN_NETWORKS,
  CAIRN_UPLOAD_BYTES_MAX: sharedSettings.CAIRN_UPLOAD_BYTES_MAX,
  CAIRN_SIGN_UP: oneOf(['open', 'closed'])
    .default('open')
    .describe('Whether visitors may create accounts in the console.'),
  CAIRN_SIGN_UP_PLAN: text(/^[a-z][a-z0-9-]{0,31}$/, 'the name of a plan')
    .default('free')
    .describe('Plan of accounts that visitors create.'),
  CAIRN_SMTP_URL: secret(/^smtps?:\/\/[^\s]{1,2000}$/, 'a URL such as smtps://user:password@smtp.example:465')
    .optional()
    .describe('SMTP server that sends mail of the console. Default: no mail.'),
  CAIRN_MAIL_FROM: text(
    /^[^\r\n<>]{0,128}<?[^\s@<>]{1,64}@[^\s@<>]{1,190}>?$/,
    'an address such as Cairn <no-reply@example.org>',
  )
    .optional()
    .describe('Sender of mail of the console. Required with CAIRN_SMTP_URL.'),
  CAIRN_ALERT_SECONDS: integer(1, 86_400, 'a number of seconds')
    .default(60)
    .describe('Seconds between checks of usage alerts.'),
  CAIRN_OIDC_ISSUER: url().optional().describe('OpenID provider with which people sign in. Default: none.'),
  CAIRN_OIDC_CLIENT_ID: text(/^[\x21-\x7e]{1,256}$/, 'the id that the provider gave')
    .optional()
    .describe('Client id of the console at the OpenID provider.'),
  CAIRN_OIDC_CLIENT_SECRET: secret(/^[\x21-\x7e]{1,512}$/, 'the secret that the provider gave')
    .optional()
    .describe('Client secret of the console at the OpenID provider.'),
  CAIRN_OIDC_NAME: text(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u, 'a short name')
    .default('single sign-on')
    .describe('Name of the OpenID provider on the sign-in page.'),
  CAIRN_STRIPE_SECRET_KEY: secret(/^(sk|rk)_[A-Za-z0-9_]{8,256}$/, 'a secret key of Stripe, sk_…')
    .optional()
    .describe('Secret key of Stripe, which takes cards. Default: the operator attaches them.'),
  CAIRN_STRIPE_WEBHOOK_SECRET: secret(/^whsec_[A-Za-z0-9+/=_-]{8,256}$/, 'a signing secret of Stripe, whsec_…')
    .optional()
    .describe('Signing secret of the webhook endpoint /api/billing/webhook.'),
  CAIRN_STRIPE_API_URL: url().optional().describe('Address of the API of Stripe. Default: the public one.'),
} satisfies SettingsShape;

/** Settings of the console, checked. */
export type ConsoleSettings = Settings<typeof settingsShape>;
