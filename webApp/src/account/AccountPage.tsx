import { useAuthStore } from "../auth/useAuthStore";
import { Button } from "../shell/Button";
import { Page } from "../shell/Page";
import { strings } from "../strings";

export default function AccountPage() {
  const { user, signOut } = useAuthStore();
  return (
    <Page title={strings.nav.account} lead={user?.name} actions={<Button onClick={() => void signOut()}>{strings.auth.signOut}</Button>}>
      <></>
    </Page>
  );
}
