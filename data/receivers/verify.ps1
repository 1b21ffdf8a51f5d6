# Checks that a webhook is from Wattkeeper: Windows PowerShell 5.1 and PowerShell 7, standard
# library alone. It has no Ed25519: only v1 is checked. Load it with: . ./verify.ps1

# Whether one of the subscription's secrets signed it. $Body is the request's bytes as they came,
# $Header is x-svc-signature, $NowS the clock in seconds since 1970.
function Test-WattkeeperWebhook {
    param(
        [AllowNull()][AllowEmptyString()][string] $Header,
        [Parameter(Mandatory)][AllowEmptyCollection()][byte[]] $Body,
        [Parameter(Mandatory)][AllowEmptyCollection()][string[]] $Secrets,
        [long] $NowS = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()
    )
    $times = @()
    $values = @()
    foreach ($entry in $Header.Split(',')) {
        $name, $value = $entry.Trim(' ').Split([char[]] '=', 2)
        # -ceq and -cmatch: names are lower case, and \z allows no line break at the end.
        if ($name -ceq 't') { $times += "$value" }
        if ($name -ceq 'v1' -and $value -cmatch '\A[0-9a-fA-F]{64}\z') { $values += $value }
    }
    if ($times.Count -ne 1 -or $times[0] -cnotmatch '\A[0-9]{1,12}\z') { return $false }
    if ([Math]::Abs($NowS - [long] $times[0]) -gt 300) { return $false }
    $message = [byte[]] ([Text.Encoding]::UTF8.GetBytes($times[0] + '.') + $Body)
    $found = $false
    foreach ($secret in $Secrets) {
        $key = [Text.Encoding]::UTF8.GetBytes($secret)
        $hmac = New-Object Security.Cryptography.HMACSHA256 (, $key)
        $digest = [BitConverter]::ToString($hmac.ComputeHash($message))
        $own = $digest.Replace('-', '').ToLowerInvariant()
        $hmac.Dispose()
        foreach ($value in $values) {
            # In constant time: every character is looked at, whatever was found before.
            $lower = $value.ToLowerInvariant()
            $difference = 0
            for ($i = 0; $i -lt 64; $i++) {
                $difference = $difference -bor ([int] $own[$i] -bxor [int] $lower[$i])
            }
            if ($difference -eq 0) { $found = $true }
        }
    }
    return $found
}
