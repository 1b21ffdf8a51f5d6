// Checks that a webhook is from Wattkeeper: .NET Framework 4.6, Mono and .NET, standard library
// alone. It has no Ed25519: only v1 is checked. A body is the request's bytes as they came.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

public static class WattkeeperWebhook
{
    private const long ToleranceS = 300;

    /// <summary>Whether one of the subscription's secrets signed it (HMAC-SHA256, v1).</summary>
    /// <param name="header">x-svc-signature; null where it is missing.</param>
    public static bool VerifyHmac(
        string header, byte[] body, IEnumerable<string> secrets, DateTimeOffset now)
    {
        var entries = (header ?? "").Split(',')
            .Select(entry => entry.Trim(' ').Split(new[] { '=' }, 2))
            .Where(entry => entry.Length == 2)
            .ToList();
        var times = entries.Where(entry => entry[0] == "t").Select(entry => entry[1]).ToList();
        if (times.Count != 1 || !Regex.IsMatch(times[0], @"\A[0-9]{1,12}\z")) return false;
        var t = long.Parse(times[0], NumberStyles.None, CultureInfo.InvariantCulture);
        if (Math.Abs(now.ToUnixTimeSeconds() - t) > ToleranceS) return false;
        var values = entries
            .Where(entry => entry[0] == "v1" && Regex.IsMatch(entry[1], @"\A[0-9a-fA-F]{64}\z"))
            .Select(entry => BytesOf(entry[1]))
            .ToList();
        var message = Encoding.UTF8.GetBytes(times[0] + ".").Concat(body).ToArray();
        var found = false;
        foreach (var secret in secrets)
        {
            using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
            {
                var own = hmac.ComputeHash(message);
                foreach (var value in values) found |= AreEqual(own, value);
            }
        }
        return found;
    }

    private static byte[] BytesOf(string hex)
    {
        return Enumerable.Range(0, hex.Length / 2)
            .Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16))
            .ToArray();
    }

    // In constant time; .NET has CryptographicOperations.FixedTimeEquals, .NET Framework has not.
    private static bool AreEqual(byte[] a, byte[] b)
    {
        var difference = a.Length ^ b.Length;
        for (var i = 0; i < a.Length && i < b.Length; i++) difference |= a[i] ^ b[i];
        return difference == 0;
    }
}
