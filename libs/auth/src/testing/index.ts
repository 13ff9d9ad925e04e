export { describeAccountStore } from './describe-account-store.ts';
export { describeGatewayHostStore } from './describe-gateway-host-store.ts';
export { describeMemberStore } from './describe-member-store.ts';
export { describeMemberTokenStore } from './describe-member-token-store.ts';
