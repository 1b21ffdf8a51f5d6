# Runs verify.ps1 over cases that come line by line, see tests/data/receivers_test.ts.
param([Parameter(Mandatory)][string] $Receiver)
. $Receiver

function ConvertFrom-Word([string] $Word) {
    [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($Word))
}

while ($null -ne ($line = [Console]::In.ReadLine())) {
    $header, $body, $now, $secrets, $keys = $line.Split("`t")
    $given = @{
        Header = if ($header -eq '-') { $null } else { ConvertFrom-Word $header }
        Body = [Convert]::FromBase64String($body)
        Secrets = [string[]] @($secrets.Split(',') | Where-Object { $_ } |
            ForEach-Object { ConvertFrom-Word $_ })
        NowS = [long] $now
    }
    $v1 = Test-WattkeeperWebhook @given
    [Console]::Out.WriteLine("$("$v1".ToLowerInvariant()) -")
}
