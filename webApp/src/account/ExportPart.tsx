import { useMutation } from "@tanstack/react-query";
import { authorizedFetch } from "../api/client";
import { ApiError } from "../api/errors";
import { Button } from "../shell/Button";
import { ErrorCard } from "../shell/ErrorCard";
import { DownIcon } from "../shell/icons";
import { strings } from "../strings";
import { download, fileName, spokenSize } from "./files";
import { Part } from "./Part";

const words = strings.account;

export function ExportPart() {
  const run = useMutation({
    mutationFn: async () => {
      const content = await (await authorizedFetch("/api/account/export")).blob();
      const end = await content.slice(-16).text();
      if (!end.trimEnd().endsWith("}")) throw new ApiError(-1, "cut_off", words.exportCut);
      download(content, fileName("export"));
      return content.size;
    },
  });
  return (
    <Part title={words.exportTitle} lead={words.exportLead}>
      {run.error ? <ErrorCard error={run.error} /> : null}
      <div className="account-do">
        <Button icon={<DownIcon />} busy={run.isPending} onClick={() => run.mutate()}>
          {words.export}
        </Button>
        <span className="small soft" role="status">
          {run.data !== undefined && words.exported(spokenSize(run.data))}
        </span>
      </div>
    </Part>
  );
}
