import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { SignInPage, SignUpPage } from './pages/sign-in.tsx';
import { Failure, Waiting } from './parts.tsx';
import { Shell } from './shell/shell.tsx';
import { useMe } from './use-api.ts';

// Links of mails: few visits begin with them.
const JoinPage = lazy(() => import('./pages/join.tsx').then(({ JoinPage: page }) => ({ default: page })));
const VerifyEmailPage = lazy(() =>
  import('./pages/verify-email.tsx').then(({ VerifyEmailPage: page }) => ({ default: page })),
);
const ForgotPasswordPage = lazy(() =>
  import('./pages/password-reset.tsx').then(({ ForgotPasswordPage: page }) => ({ default: page })),
);
const ResetPasswordPage = lazy(() =>
  import('./pages/password-reset.tsx').then(({ ResetPasswordPage: page }) => ({ default: page })),
);

/** Links of mails open with and without a session. All other pages need one. */
export function App() {
  return (
    <Suspense fallback={<Waiting />}>
      <Switch>
        <Route path="/reset-password" component={ResetPasswordPage} />
        <Route path="/verify-email" component={VerifyEmailPage} />
        <Route path="/join" component={JoinPage} />
        <Route component={Entered} />
      </Switch>
    </Suspense>
  );
}

/** Pages of a signed-in member, or the sign-in form. */
function Entered() {
  const me = useMe();
  if (me.data === undefined) return me.error === null ? <Waiting /> : <Failure error={me.error} />;
  if (me.data === null) {
    return (
      <Switch>
        <Route path="/sign-up" component={SignUpPage} />
        <Route path="/forgot-password" component={ForgotPasswordPage} />
        <Route component={SignInPage} />
      </Switch>
    );
  }
  return <Shell me={me.data} />;
}
