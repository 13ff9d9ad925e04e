import { CairnError } from '@cairn/errors';

export type ProvidingErrorCode = 'ROUTING_UNAVAILABLE' | 'ROUTER_ANSWER_INVALID' | 'PROVIDE_INTERVAL_INVALID';

/** Thrown by the schedule and by routers. */
export class ProvidingError extends CairnError<ProvidingErrorCode> {}

/** The routing system cannot be reached as a whole, so that no record is at fault. */
export function routingUnavailable(reason: string, cause?: unknown): ProvidingError {
  return new ProvidingError('ROUTING_UNAVAILABLE', `The routing system cannot be reached: ${reason}.`, {
    hint: 'Check the network of this node, its bootstrap peers and the addresses of delegated routers.',
    ...(cause !== undefined && { cause }),
  });
}

export function routerAnswerInvalid(router: string, reason: string): ProvidingError {
  return new ProvidingError('ROUTER_ANSWER_INVALID', `The router ${router} sent an invalid answer: ${reason}.`, {
    hint: 'Check that the address is that of a router with Delegated Routing V1.',
    details: { router },
  });
}
