import { useAuthStore } from "../auth/useAuthStore";
import { Button } from "../shell/Button";
import { Page } from "../shell/Page";
import { strings } from "../strings";
import "./account.css";
import { ErasePart } from "./ErasePart";
import { ExportPart } from "./ExportPart";
import { ImportPart } from "./ImportPart";
import { TokensPart } from "./TokensPart";

const words = strings.account;

export default function AccountPage() {
  const { user, signOut } = useAuthStore();
  const out = <Button onClick={() => void signOut()}>{strings.auth.signOut}</Button>;
  return (
    <Page title={strings.nav.account} lead={user ? words.lead(user.name) : undefined} actions={out}>
      <div className="account-pair">
        <ExportPart />
        <ImportPart />
      </div>
      <TokensPart />
      <ErasePart />
    </Page>
  );
}
