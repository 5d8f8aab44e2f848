// Package parquetfile reads Parquet files that other programs wrote.
//
// In: a file of any content. Out: its rows, or an error. What a file claims about its size
// is checked before memory is allocated for it, and a panic of the library is an error.
package parquetfile
